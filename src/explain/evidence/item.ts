import type { ExplainSource } from '../../api/index.ts'
import type { Instant } from '../../domain/time.ts'

/** A fact with who says it and when that was. */
export interface Item {
  readonly source: ExplainSource
  readonly at: Instant | null
  readonly text: string
}

export function item(source: ExplainSource, at: Instant | null, text: string): Item {
  return { source, at, text }
}
