import type { Runner } from '../../domain/runner/index.ts'
import type { Cause, Leader } from './cause.ts'

/** Runners: enrolment, identity, polling and fencing. */
export interface RunnerLedger {
  /**
   * One runner, such as one that is there already and has no row; repeating the same name gives the same row. A retired pool takes it all the same: it is counted, and removed like the pool's other runners. A pool that never
   * was is `E_POOL_UNKNOWN`, and nothing is written.
   */
  enrol(runner: NewRunner, cause: Cause): Promise<Runner>
  /**
   * Runners that are about to be started, many in one transaction, under a leader's name where there is one; their
   * rows in the order given. A retired pool takes no new ones: these are left out, so that a count after `putPools`
   * has all there will be.
   */
  enrolAll(runners: readonly NewRunner[], cause: Cause, leader: Leader | null): Promise<Enrolled>
  /** The pod that was made for it, or found under its name: the first is its own from then on (`other`: not this one). */
  bindPod(runnerId: number, podUid: string): Promise<'bound' | 'other'>
  /** Binds the runner to the first identity that is proven for it; `other`: it is bound to another one. */
  bindIdentity(runnerId: number, identityHash: string): Promise<'bound' | 'other'>
  /** The runner asks for work: `booting → polling`. `leave`: it is fenced, or has ended. */
  polled(runnerId: number): Promise<'polling' | 'leave'>
  /**
   * These runners wait for a job since they last asked: the time of it is noted. Gives those that are polling; the
   * others are fenced, have ended, or hold an attempt.
   */
  waiting(runnerIds: readonly number[]): Promise<ReadonlySet<number>>
  /** No job is given to this runner any more. `refused`: it has an open attempt, or it has ended. */
  fence(runnerId: number, reason: string, cause: Cause): Promise<'fenced' | 'refused'>
}

export interface NewRunner {
  readonly name: string
  readonly pool: string
  readonly host: string
  /** Null: it becomes known when the runner first proves who it is (`bindIdentity`). */
  readonly identityHash: string | null
  readonly bootDeadlineMs: number
}

export type Enrolled =
  | { readonly kind: 'enrolled'; readonly runners: readonly Runner[] }
  /** Another leads now; nothing was written. */
  | { readonly kind: 'deposed' }
