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

/** For those who wait the queue is looked at this often although nobody rang: wake-ups may be lost. */
export const pollSweepMs = 5_000
/** Who waited here asks again at once; what was known of him is believed for so long. */
export const expectedForMs = 10_000
/** The ledger is told so often who has begun to wait, and says of whom something changed. */
export const vouchEveryMs = 1_000
/** No statement concerns more of them. */
export const vouchedAtOnceMax = 1_000
/** A runner whose mint is under way is looked at again after this, then after twice as long, up to the sweep. */
export const mintLookMs = 250
/** Jobs that one poll tries when their mints are refused, so that one broken repository does not starve it. */
export const mintsPerPollMax = 3
/** First delay of a job whose mint failed; it doubles with each failure. */
export const mintBackOffMs = 2_000
export const mintBackOffMaxMs = 5 * 60_000
/** How often a refusal that only a person can lift is tried again where the forge names no time. */
export const incidentRetryMs = 10 * 60_000
