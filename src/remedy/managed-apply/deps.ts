import type { ReapPlan } from '../../domain/remedy/index.ts'
import type { ApplyRecords, CommandRunner } from '../../ports/managed-apply.ts'
import type { RemedyDeps } from '../deps.ts'
import type { RunnerSources } from '../runner/runner-treatment.ts'

/** The dependencies of a managed apply: those of `reap`, the records and the user's command. */
export interface ApplyDeps extends RemedyDeps, RunnerSources {
  readonly records: ApplyRecords
  readonly commands: CommandRunner
  newId(): string
  /** Keeps a plan of the reaps within, for the readers of the trail. */
  keepPlan(hash: string, plan: ReapPlan): Promise<void>
  /** One line for a person who waits. */
  onProgress(line: string): void
}
