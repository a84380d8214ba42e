import type { ExplainSource } from '../../api/index.ts'
import type { Instant } from '../../domain/time.ts'

/** Something that happened, and who says so. */
export interface Moment {
  readonly at: Instant
  readonly source: ExplainSource
  readonly text: string
}

/** Nothing where nobody says when. */
export function moment(at: Instant | null, source: ExplainSource, text: string): Moment[] {
  return at === null || at <= 0 ? [] : [{ at, source, text }]
}
