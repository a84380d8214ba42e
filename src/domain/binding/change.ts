import type { Attempt, AttemptEvent, Handle } from '../attempt/index.ts'
import type { DeathRecord } from '../death/index.ts'
import type { JobEvent } from '../job/index.ts'
import type { RunnerEvent } from '../runner/index.ts'
import type { ForgeJob, ForgeWord } from './word.ts'

/** What proves an end; stored once, and named by the attempt or runner that it ended. */
export type Evidence =
  | { readonly kind: 'forge-word'; readonly record: ForgeWord | Forgotten }
  | { readonly kind: 'never-registered'; readonly record: Readonly<Record<string, unknown>> }
  /** A person's word, who said it and about which installation: the forge cannot be asked any more. */
  | { readonly kind: 'retired'; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: 'runner-death'; readonly runnerId: number; readonly record: DeathRecord }

/** The forge said, when it was asked, that it does not know the job. */
export interface Forgotten {
  readonly job: ForgeJob
  readonly status: 'gone'
}

/** Evidence to be stored with a change, or the id of what is stored already, or none (nothing was delivered). */
export type Proof = Evidence | { readonly kind: 'stored'; readonly evidenceId: number } | null

export type EndKind = Extract<AttemptEvent, { evidenceId: number | null }>['kind']
type StepEvent = Exclude<AttemptEvent, { evidenceId: number | null }>

/** One row's move. A plan is a list of these, carried out in one transaction, each leaving one timeline row. */
export type Change =
  | { readonly on: 'job'; readonly id: number; readonly event: JobEvent }
  | { readonly on: 'attempt'; readonly id: number; readonly event: StepEvent }
  | { readonly on: 'attempt-end'; readonly id: number; readonly kind: EndKind; readonly proof: Proof }
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
  | { readonly on: 'runner'; readonly id: number; readonly event: Exclude<RunnerEvent, { kind: 'gone' }> }
  | { readonly on: 'runner-gone'; readonly id: number; readonly record: DeathRecord; readonly reason: string }
