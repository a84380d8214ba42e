import type { CaseTimeline } from '../../domain/triage/index.ts'
import type { ApiCaseTimeline } from '../contracts/timeline.ts'
import { iso, isoOrNull } from './time.ts'

/** A merged timeline as programs read it. */
export function caseTimelineView({ rows, undated, gaps, endAt, ...counts }: CaseTimeline): ApiCaseTimeline {
  return {
    ...counts,
    rows: rows.map((row) => ({ ...row, at: iso(row.at) })),
    undated: [...undated],
    gaps: [...gaps],
    endAt: isoOrNull(endAt),
  }
}
