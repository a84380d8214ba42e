import type { LaneField } from './contract.ts'

/** One declared value that the live set does not have. */
export interface Difference {
  readonly field: LaneField
  /** The value's name, where its field has several: `runner limits.memory`. */
  readonly what: string
  readonly declared: string
  readonly live: string
}

/** Nothing where the live value is the declared one. */
export function difference(
  field: LaneField,
  what: string,
  declared: string,
  live: string,
): readonly Difference[] {
  return declared === live ? [] : [{ field, what, declared, live }]
}
