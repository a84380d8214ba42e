import type { DeclaredProof } from '../../audit/contract/contract.ts'
import type { JobVerdict } from '../../job-failure/index.ts'
import type { AttemptComparison, RunHead } from '../../run-attempt/index.ts'
import type { ForgeJobFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

export interface RetryProofScope {
  readonly repository: string
  readonly jobId: number
  /** The proofs that the contract file declares. */
  readonly declared: readonly DeclaredProof[]
  /** How long the result of the second attempt is waited for. */
  readonly waitMs: number
}

/** One failed attempt of a proof. Its number of the attempt stands for its state: a newer attempt is another one. */
interface ProofTarget extends PlannedObject {
  readonly kind: 'Job'
  readonly repository: string
  readonly jobId: number
  readonly runId: number
  readonly jobName: string
  readonly attempt: number
  readonly headSha: string
}

export type RetryProofPlan = Plan<'retry-proof', RetryProofScope, ProofTarget>

/** All that the forge says about one job, read at one time. */
export interface ProofReading {
  readonly at: Instant
  /** Null: the forge knows no such job. */
  readonly job: ForgeJobFact | null
  /** The jobs of every attempt of its run. */
  readonly jobs: readonly ForgeJobFact[]
  readonly head: RunHead | null
  /** Why it failed, by its log and steps; null: it did not, or is not over. */
  readonly verdict: JobVerdict | null
}

/** The facts of `fix retry-proof`, from the forge and from our own trail. */
export interface RetryProofFacts extends RemedyFacts {
  readonly plan: RetryProofPlan
  readonly fresh: {
    readonly sources: { readonly forge: Instant }
    readonly reading: ProofReading
    /** How often the trail has a rerun of this very attempt, also one whose answer was lost. */
    readonly askedBefore: number
  }
  readonly after: { readonly jobs: readonly ForgeJobFact[] }
  /** Null: there is only one attempt. */
  readonly end: { readonly comparison: AttemptComparison | null }
}
