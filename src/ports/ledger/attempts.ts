import type { Attempt, Handle, PastDeadline } from '../../domain/attempt/index.ts'
import type { IncidentKind } from '../../domain/incident/index.ts'
import type { Job } from '../../domain/job/index.ts'
import type { EndKind, EndProof, JobFate } from '../../domain/job-event/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { Sealed } from '../vault.ts'
import type { Cause } from './cause.ts'

/** Attempts: one runs one job on one runner, from its claim to its end. Each write is fenced by the handle of its attempt. */
export interface AttemptLedger {
  /** The runner's open attempt, for a poll that is repeated because its answer was lost. */
  openAttempt(runnerId: number): Promise<Claim | null>
  /** Gives the runner the next job of its pool and of the served installation: inserts the attempt and moves the job, in one transaction. */
  claim(runner: ClaimingRunner, handle: Handle, deadlineMs: number): Promise<ClaimResult>
  /** `claimed → minted`; the sealed JIT is stored with it. Incidents that a mint disproves are over. */
  minted(handle: Handle, forgeRunnerId: number, jit: Sealed, deadlineMs: number): Promise<Fenced>
  /** Nothing was delivered: the attempt ends, the job backs off or is quarantined, the scope is held. */
  mintFailed(
    handle: Handle,
    failure: {
      readonly reason: string
      readonly concerns: 'job' | 'repository' | 'account'
      readonly delayMs: number
      /** After so many refusals it is quarantined; null: this one is not its fault, and is not counted. */
      readonly failuresMax: number | null
      /** The problem that only a person can resolve: it opens an incident for the scope that the refusal concerns. */
      readonly incident: IncidentKind | null
    },
  ): Promise<Fenced<{ readonly quarantined: boolean; readonly incident: 'opened' | 'known' | null }>>
  /** `minted → delivered`, before the first byte leaves; repeated until it is acknowledged it gives the same JIT. */
  deliver(handle: Handle, registerDeadlineMs: number): Promise<Fenced<{ readonly jit: Sealed }>>
  acknowledge(handle: Handle): Promise<Fenced>
  /** The forge was seen to have the runner; the JIT is erased. */
  registered(handle: Handle, startDeadlineMs: number, cause: Cause): Promise<Fenced>
  /**
   * Its job ran for longer than its pool lets one run, and the forge is asked to cancel it; noted once, and later with
   * the forge's answer. `lost`: it does not run (any more).
   */
  notePastDeadline(handle: Handle, note: Omit<PastDeadline, 'at'>, cause: Cause): Promise<Fenced>
  /** Ends an attempt with its proof, and decides its job's fate, together. */
  endAttempt(
    handle: Handle,
    end: { readonly kind: EndKind; readonly proof: EndProof; readonly fate: JobFate },
    cause: Cause,
  ): Promise<Fenced | { readonly kind: 'refused' }>
  /** Registrations that were made for attempts which ended since then before their runner was seen to use them. */
  unusedRegistrations(installation: string, since: Instant): Promise<readonly UnusedRegistration[]>
  /** Seals stored JITs again that were not delivered yet (I2: what was delivered stays as it is); gives how many. */
  resealJits(reseal: (jit: Sealed, handle: Handle) => Sealed, limit: number): Promise<number>
}

export interface Claim {
  readonly attempt: Attempt
  readonly job: Job
  /** The group that the job's pool names for its runners. */
  readonly runnerGroup: string | null
}

/** The fields of a runner that a claim needs; they never change. */
export type ClaimingRunner = Pick<Runner, 'id' | 'name' | 'pool'>

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'nothing' }
  /** The runner is fenced or has ended: it must leave. */
  | { readonly kind: 'leave' }

/** The result of a write under a handle. `lost`: the attempt ended meanwhile, and the caller must not go on with it. */
export type Fenced<T = object> = ({ readonly kind: 'ok' } & T) | { readonly kind: 'lost' }

/** A runner's place at the forge that nobody may ever take. */
export interface UnusedRegistration {
  readonly repository: string
  readonly forgeRunnerName: string
  /** When its attempt ended. */
  readonly endedAt: Instant
}
