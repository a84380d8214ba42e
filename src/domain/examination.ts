/** One thing that was looked at before or while Holdfast runs. */
export interface Check {
  /** A short name that stays: `disk`. */
  readonly name: string
  /** `unknown`: it could not be looked at; that is no proof of anything. */
  readonly result: 'ok' | 'warn' | 'fail' | 'unknown'
  /** What was found, in a sentence without a full stop. */
  readonly found: string
  /** What to do; null where nothing is. */
  readonly todo: string | null
}
