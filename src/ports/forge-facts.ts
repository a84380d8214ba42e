import type { ForgeFacts } from '../domain/snapshot/index.ts'
import type { Instant } from '../domain/time.ts'

/** A job of a repository, by the forge's number. */
export interface JobRef {
  readonly repository: string
  readonly jobId: number
}

/** The wanted facts of a forge. */
export interface ForgeFactsOrder {
  /** Organisations (`acme`) and repositories (`acme/web`) whose runners are listed. */
  readonly runnerScopes: readonly string[]
  /** Whether the runners of everything that the credential covers are listed too. */
  readonly isCoveredWanted: boolean
  /** Repositories whose jobs are listed: the open ones, and those of runs since `since`. Null: every one that is covered. */
  readonly repositories: readonly string[] | null
  readonly since: Instant
  /** Runs whose jobs are read whatever their age. */
  readonly runs: readonly { readonly repository: string; readonly runId: number }[]
  /** Jobs that are read with their annotations and the newest part of their logs. */
  readonly jobs: readonly JobRef[]
  /** Calls that it may cost at most; parts that would cost more are unread. */
  readonly callsMax: number
}

export interface ForgeFactsRead {
  readonly facts: ForgeFacts
  readonly requests: number
  readonly bytes: number
}

/** A forge, or files of its answers, as facts. */
export interface ForgeFactsReader {
  /** The host of its web site, as URLs of organisations and repositories name it; null: files do not say it. */
  readonly host: string | null
  /**
   * Reads in the order's own order of importance: budgets, named jobs and runs, runners, then jobs by repository. A part
   * that could not be read is unread in its listing and never fails the rest; a listing is whole only where everything
   * that the order asks of it was read. Throws only where the signal aborts, or a file is not as expected.
   */
  readForgeFacts(order: ForgeFactsOrder, signal: AbortSignal): Promise<ForgeFactsRead>
}
