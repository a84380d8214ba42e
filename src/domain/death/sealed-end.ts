import type { Instant } from '../time.ts'
import type { ClassifiedEnd } from './common-cause.ts'
import { type DeathRecord, deathClasses, type Verdict } from './record.ts'

/** A summary of one end: the fields that views of the fleet need of a record of kilobytes. */
export interface SealedEnd extends ClassifiedEnd {
  readonly pool: string
  readonly confidence: Verdict['confidence']
  /** The runner's newest job. */
  readonly jobId: number | null
  readonly sealedAt: Instant
}

/** The fields of the summary that come from the record itself. */
export type EndSummary = Omit<SealedEnd, 'pool' | 'at' | 'sealedAt'> & {
  /** The end by its host; null where nothing was left to read. */
  readonly endedAt: Instant | null
}

const confidences: readonly Verdict['confidence'][] = ['proven', 'likely', 'unknown']

/** Summarises a record. One of an older version may lack parts, one of a newer version may have other classes. */
export function endSummaryOf(record: Partial<DeathRecord>): EndSummary {
  const pod = record.ending?.pod ?? null
  const runner = pod?.containers?.find(({ name }) => name === 'runner')
  return {
    class: deathClasses.find((name) => name === record.class) ?? 'unknown',
    confidence: confidences.find((name) => name === record.confidence) ?? 'unknown',
    endedAt: record.ending?.endedAt ?? null,
    node: pod?.place.node ?? null,
    image: runner?.image ?? null,
    repository: record.job?.repository ?? null,
    jobId: record.job?.jobId ?? null,
  }
}

/** Summarises a sealed record. An end is never later than its seal, whatever the clock of the host says. */
export function sealedEnd(
  record: Partial<DeathRecord>,
  { pool, sealedAt }: { readonly pool: string; readonly sealedAt: Instant },
): SealedEnd {
  const { endedAt, ...end } = endSummaryOf(record)
  return { ...end, pool, at: Math.min(endedAt ?? sealedAt, sealedAt), sealedAt }
}
