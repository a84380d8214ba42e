import type { BackOff } from '../domain/back-off/index.ts'
/** Bounds of the dispatch path; see docs/reference/config.md. */
export interface DispatchSettings {
  /** How long a poll is held open when there is no work. */
  readonly pollMs: number
  /** From the claim to the delivery. */
  readonly mintDeadlineMs: number
  /** From the delivery to the runner's registration at the forge. */
  readonly registerDeadlineMs: number
  /** After so many failed mints a job is quarantined. */
  readonly mintFailuresMax: number
}

/** The queue is resynced this often for the runners that wait: wake-ups may be lost. */
export const pollResyncMs = 5_000
/** A runner whose poll ended polls again at once; its row of then counts as fresh for so long. */
export const recentForMs = 10_000
/** How often the heartbeat of runners that have begun to wait is sent. */
export const heartbeatEveryMs = 1_000
/** Runners in one statement of the heartbeat. */
export const heartbeatBatchMax = 1_000
/** A runner whose mint is under way is looked at again after this, then with back-off, up to the resync. */
export const mintLookBackOff: BackOff = { baseMs: 250, capMs: pollResyncMs }
/** Jobs that one poll tries when their mints are refused, so that one broken repository does not starve it. */
export const mintsPerPollMax = 3
/** The back-off of a job whose mint failed. */
export const mintBackOff: BackOff = { baseMs: 2_000, capMs: 5 * 60_000 }
/** How often a refusal that only a person can lift is tried again where the forge names no time. */
export const incidentRetryMs = 10 * 60_000
