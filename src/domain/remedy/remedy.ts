import type { Instant } from '../time.ts'
import type { Gate } from './gate.ts'
import type { Plan } from './plan.ts'

interface RemedyBounds {
  readonly objectsPerRunMax: number
  readonly objectsPerHourMax: number
  /** A plan that is older is refused. */
  readonly planAgeMaxMs: number
  /** Facts of a re-check that are older are not acted on. */
  readonly factAgeMaxMs: number
  readonly verifyMaxMs: number
  readonly proveMaxMs: number
}

/** When each source of a reading answered, by the source's name. */
interface Sources {
  readonly sources: Readonly<Record<string, Instant>>
}

/** The facts of one remedy: its plan, those right before an act, after it, and at the end of a run. */
export interface RemedyFacts {
  readonly plan: Plan
  readonly fresh: Sources
  readonly after: object
  readonly end: object
}

/** Known when a plan is to be approved. */
export interface ApprovalFacts {
  readonly plan: Plan
  readonly now: Instant
  readonly site: string
  readonly bounds: RemedyBounds
  /** Whether the trail has an approval of this plan already. */
  readonly isUsed: boolean
}

/** Read immediately before one act, all sources again, after the plan. */
export type RecheckFacts<F extends RemedyFacts> = {
  readonly plan: F['plan']
  readonly planned: F['plan']['objects'][number]
  readonly bounds: RemedyBounds
  readonly now: Instant
  readonly actsOfRun: number
  readonly actsOfHour: number
} & F['fresh']

/** Read again and again after one act, until every gate passes or the time is up. */
export type VerifyFacts<F extends RemedyFacts> = {
  readonly planned: F['plan']['objects'][number]
} & F['after']

/** Read at the end of a run, for each place that it touched. */
export type ProveFacts<F extends RemedyFacts> = { readonly plan: F['plan'] } & F['end']

/** A remedy is data: gates before, between and after, and its bounds. Its one act is that of its treatment. */
export interface Remedy<F extends RemedyFacts = RemedyFacts> {
  readonly name: F['plan']['remedy']
  readonly bounds: RemedyBounds
  readonly approvals: readonly Gate<ApprovalFacts>[]
  readonly rechecks: readonly Gate<RecheckFacts<F>>[]
  readonly verifications: readonly Gate<VerifyFacts<F>>[]
  readonly proofs: readonly Gate<ProveFacts<F>>[]
}
