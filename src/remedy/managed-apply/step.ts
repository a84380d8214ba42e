import type { GateResult } from '../../domain/remedy/index.ts'
import type { ApplyEvent } from '../../domain/remedy/managed-apply/index.ts'
import type { ApplyDeps } from './deps.ts'
import type { ApplyRun } from './run.ts'

/** One apply on its way, as each step gets it. */
export interface Stepping {
  readonly run: ApplyRun
  readonly deps: ApplyDeps
  /** Null: there is none to run; only a resumed apply is without. */
  readonly argv: readonly string[] | null
  /** Ends what is not owed. */
  readonly signal: AbortSignal
}

/** How a step ended: the event that moves the apply on. */
export interface StepEnd {
  readonly event: ApplyEvent
  readonly outcome: string
  readonly gates?: readonly GateResult[]
}

/** One step; done again after an interruption it comes to the same. */
export type Step = (stepping: Stepping) => Promise<StepEnd>
