import type { Runner } from '../../domain/runner/index.ts'
import type { RunnerFile } from './files.ts'
import type { Listed, UnreadableRunner } from './unreadable.ts'

/** Runners, and how they are found. */
export interface RunnerReader {
  findRunner(name: string): Promise<Runner | null>
  /** Live runners, and those that ended lately up to `endedLimit`; of both only those for which the filter holds. */
  runners(
    endedLimit: number,
    filter?: RunnerFilter,
  ): Promise<Listed<Runner & { readonly jobId: number | null }, UnreadableRunner>>
  /** Every runner that lives, with the job that it has, at most so many, the newest. */
  runnersAlive(limit: number): Promise<readonly RunnerAlive[]>
  /** By the runner's own name, or by one under which the forge knew it. */
  runnerFile(name: string): Promise<RunnerFile | null>
  /** The name of the runner whose death record names this pod. */
  runnerOfPod(podUid: string): Promise<string | null>
}

/** Absent fields do not filter. */
export interface RunnerFilter {
  readonly pool?: string
  readonly states?: readonly Runner['state'][]
  readonly host?: string
  readonly names?: readonly string[]
}

/** A runner that lives, as far as ends may have that in common; on which node only its host knows. */
export interface RunnerAlive {
  readonly name: string
  readonly pool: string
  readonly repository: string | null
}
