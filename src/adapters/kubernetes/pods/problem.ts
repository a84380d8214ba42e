import { shown } from './json.ts'

export interface Problem {
  /** Inside of the pool's template, such as `spec.restartPolicy`. */
  readonly at: string
  /** Completes "expected …". */
  readonly expected: string
  readonly got: unknown
  /** The remedy, as a sentence; with the reason where it is not plain. */
  readonly todo: string
}

/** A problem of a template, as one line for its author. */
export function sentence({ at, expected, got, todo }: Problem): string {
  return `template${at === '' ? '' : `.${at}`}: expected ${expected}, got ${shown(got)}. ${todo}`
}
