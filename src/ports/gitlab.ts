import type { GitlabRunnerReading } from '../domain/remedy/index.ts'
import type { ObjectRef } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'

/** GitLab, as a remedy needs it. Each question is asked now, and throws where GitLab does not answer it. */
export interface GitlabApi {
  /** Null: GitLab knows no such runner. */
  readRunner(id: number, signal: AbortSignal): Promise<GitlabRunnerReading | null>
  /** Numbers of jobs that run on it; some, where there are many. */
  runningJobs(id: number, signal: AbortSignal): Promise<readonly number[]>
  /** The runner of an authentication token; null: GitLab refuses it. */
  runnerOfToken(token: string, signal: AbortSignal): Promise<number | null>
}

/** Tokens that stand in Secrets. No value leaves this port. */
export interface StoredTokens {
  /** The runner at GitLab of the token in exactly this Secret; null: it is refused, or the Secret is another by now. */
  runnerOf(secret: Exactly & ObjectRef, key: string, signal: AbortSignal): Promise<number | null>
}
