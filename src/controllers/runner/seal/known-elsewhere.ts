import type { HostRing, JobAtEnd } from '../../../domain/death/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Ledger, RingOf } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { inTime } from './in-time.ts'

export interface ElsewhereDeps {
  readonly ledger: Pick<Ledger, 'jobAtEnd' | 'ring'>
  readonly clock: Pick<Clock, 'after'>
  readonly metrics: Metrics
  readonly log: Log
}

/** What is known of a runner's end beside what its host saw. */
export interface KnownElsewhere {
  readonly job: JobAtEnd | null
  readonly ring: HostRing | null
  /** What could not be read, in words. */
  readonly missing: readonly string[]
}

/** No record waits longer for what others know. */
const READ_MAX_MS = 5_000

/**
 * Reads the runner's job and what its node's agent saw. It never
 * throws: a record is sealed with what is there.
 */
export async function readElsewhere(
  runnerId: number | null,
  ringOf: RingOf | null,
  deps: ElsewhereDeps,
): Promise<KnownElsewhere> {
  const missing: string[] = []
  const attempt = async <T>(what: 'job' | 'ring', read: () => Promise<T | null>): Promise<T | null> => {
    try {
      return await inTime(read(), READ_MAX_MS, deps.clock, 'the ledger')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      deps.metrics.count('holdfast_evidence_failures_total', { what })
      deps.log.warn({ err: error, runnerId, what }, 'a part of a death record could not be read')
      missing.push(`its ${what === 'job' ? 'job' : 'host samples'} in the ledger: ${reason}`)
      return null
    }
  }
  const [job, ring] = await Promise.all([
    runnerId === null ? null : attempt('job', () => deps.ledger.jobAtEnd(runnerId)),
    ringOf === null ? null : attempt('ring', () => deps.ledger.ring(ringOf)),
  ])
  return { job, ring, missing }
}
