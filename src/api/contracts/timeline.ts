import { z } from 'zod'
import { timelineSources } from '../../domain/timeline/index.ts'
import { isoTime } from './time.ts'

const source = z.enum(timelineSources)

/** The words of forge, cluster and node about one job or runner, in one list. */
export const caseTimelineSchema = z.object({
  /** By time; those of one time with causes above their effects. */
  rows: z.array(
    z.object({
      at: isoTime,
      /** How exact the time is: clusters and forges write whole seconds. */
      precision: z.enum(['second', 'millisecond']),
      source,
      text: z.string(),
      /** Why the row does not fit to the others; null where nothing contradicts it. */
      mark: z.string().nullable(),
    }),
  ),
  /** Older rows that were left out. */
  leftOut: z.int(),
  /** Facts of which nobody says since when. */
  undated: z.array(z.object({ source, text: z.string() })),
  undatedLeftOut: z.int(),
  /** Parts that could not be read, or are not there: their absence proves nothing. */
  gaps: z.array(z.string()),
  /** When the runner or its job ended, the first of both; null where neither did, or nobody says when. */
  endAt: isoTime.nullable(),
})
export type ApiCaseTimeline = z.output<typeof caseTimelineSchema>
