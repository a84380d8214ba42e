import type { ExplainSource } from '../../api/index.ts'
import type { Instant } from '../../domain/time.ts'

/** A fact with who says it and when that was. */
export interface EvidenceItem {
  readonly source: ExplainSource
  readonly at: Instant | null
  readonly text: string
}

export function evidenceItem(source: ExplainSource, at: Instant | null, text: string): EvidenceItem {
  return { source, at, text }
}
