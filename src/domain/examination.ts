/** One check of the environment, before or while Holdfast runs. */
export interface Check {
  /** A short, stable name: `disk`. */
  readonly name: string
  /** `unknown`: the check could not run, which proves nothing. */
  readonly result: 'ok' | 'warn' | 'fail' | 'unknown'
  /** The finding, as a sentence without a full stop. */
  readonly found: string
  /** The remedy; null where none is needed. */
  readonly todo: string | null
}
