import type { Instant } from '../time.ts'
import type { EndSeen } from './common-cause.ts'
import { type DeathRecord, deathClasses, type Verdict } from './record.ts'

/** One end in short: what the fleet's view needs of a record that is kilobytes. */
export interface SealedEnd extends EndSeen {
  readonly pool: string
  readonly confidence: Verdict['confidence']
  /** The runner's newest job. */
  readonly jobId: number | null
  readonly sealedAt: Instant
}

/** What of it the record itself says. */
export type EndInShort = Omit<SealedEnd, 'pool' | 'at' | 'sealedAt'> & {
  /** By the host's word; null where nothing of it was left to read. */
  readonly endedAt: Instant | null
}

const confidences: readonly Verdict['confidence'][] = ['proven', 'likely', 'unknown']

/** A record in short. What an older program sealed may lack parts, and a newer one may know more classes. */
export function endInShort(record: Partial<DeathRecord>): EndInShort {
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

/** A sealed record in short. A host whose clock is ahead does not put an end into the future. */
export function sealedEnd(
  record: Partial<DeathRecord>,
  { pool, sealedAt }: { readonly pool: string; readonly sealedAt: Instant },
): SealedEnd {
  const { endedAt, ...end } = endInShort(record)
  return { ...end, pool, at: Math.min(endedAt ?? sealedAt, sealedAt), sealedAt }
}
