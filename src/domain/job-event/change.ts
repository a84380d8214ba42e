import type { Attempt, AttemptTransition, Handle } from '../attempt/index.ts'
import type { DeathRecord } from '../death/index.ts'
import type { JobTransition } from '../job/index.ts'
import type { RunnerTransition } from '../runner/index.ts'
import type { ForgeJob, JobEvent } from './job-event.ts'

/** The evidence of an end; stored once, and referenced by the attempt or runner that ended. */
export type Evidence =
  /** `forge-word` is the stored name of a job event, or of the forge's answer that it does not know the job. */
  | { readonly kind: 'forge-word'; readonly record: JobEvent | Forgotten }
  | { readonly kind: 'never-registered'; readonly record: Readonly<Record<string, unknown>> }
  /** An operator's order, whose it was and about which installation: the forge cannot be asked any more. */
  | { readonly kind: 'retired'; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: 'runner-death'; readonly runnerId: number; readonly record: DeathRecord }

/** The forge said, when it was asked, that it does not know the job. */
interface Forgotten {
  readonly job: ForgeJob
  readonly status: 'gone'
}

/** Evidence to be stored with a change, or the id of what is stored already, or none (nothing was delivered). */
export type EndProof = Evidence | { readonly kind: 'stored'; readonly evidenceId: number } | null

export type EndKind = Extract<AttemptTransition, { evidenceId: number | null }>['kind']
type StepTransition = Exclude<AttemptTransition, { evidenceId: number | null }>

/** One row's transition. A plan is a list of these, applied in one transaction, each leaving one timeline row. */
export type Change =
  | { readonly on: 'job'; readonly id: number; readonly transition: JobTransition }
  | { readonly on: 'attempt'; readonly id: number; readonly transition: StepTransition }
  | { readonly on: 'attempt-end'; readonly id: number; readonly kind: EndKind; readonly proof: EndProof }
  /** The forge gave the attempt's runner another job. */
  | { readonly on: 'rebind'; readonly id: number; readonly jobId: number }
  /** A runner of ours runs a job although no open attempt says so: an attempt is opened that is running. */
  | {
      readonly on: 'adopt'
      readonly jobId: number
      readonly from: Attempt
      readonly handle: Handle
      readonly checkInMs: number
    }
  | {
      readonly on: 'runner'
      readonly id: number
      readonly transition: Exclude<RunnerTransition, { kind: 'gone' }>
    }
  | { readonly on: 'runner-gone'; readonly id: number; readonly record: DeathRecord; readonly reason: string }
