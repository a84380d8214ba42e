import type { RemedyFacts } from '../domain/remedy/index.ts'
import type { RemedyDeps } from './deps.ts'
import type { Run } from './run.ts'
import type { Treatment } from './treatment.ts'

/** One run of one plan. */
export interface Applying<F extends RemedyFacts> {
  readonly treatment: Treatment<F>
  readonly plan: F['plan']
  readonly run: Run
  readonly deps: RemedyDeps
  readonly signal: AbortSignal
}
