import type { HostSamples, JobAtEnd } from '../../../domain/death/index.ts'
import { reasonOf } from '../../../domain/reason.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeathLedger, HostSampleLedger, HostSamplesKey } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { inTime } from './in-time.ts'

export interface ElsewhereDeps {
  readonly ledger: DeathLedger & HostSampleLedger
  readonly clock: Pick<Clock, 'after'>
  readonly metrics: Metrics
  readonly log: Log
}

/** Facts about a runner's end that its host does not have. */
export interface KnownElsewhere {
  readonly job: JobAtEnd | null
  readonly ring: HostSamples | null
  /** The parts that could not be read, in words. */
  readonly missing: readonly string[]
}

/** The longest that a record waits for these facts. */
const readMaxMs = 5_000

/**
 * Reads the runner's job and the samples of its node's agent. It never throws: a record is sealed with what is there.
 */
export async function readElsewhere(
  runnerId: number | null,
  samplesKey: HostSamplesKey | null,
  deps: ElsewhereDeps,
): Promise<KnownElsewhere> {
  const missing: string[] = []
  const attempt = async <T>(what: 'job' | 'ring', read: () => Promise<T | null>): Promise<T | null> => {
    try {
      return await inTime(read(), readMaxMs, deps.clock, 'the ledger')
    } catch (error) {
      const reason = reasonOf(error)
      deps.metrics.count('holdfast_evidence_failures_total', { what })
      deps.log.warn({ err: error, runnerId, what }, 'a part of a death record could not be read')
      missing.push(`its ${what === 'job' ? 'job' : 'host samples'} in the ledger: ${reason}`)
      return null
    }
  }
  const [job, ring] = await Promise.all([
    runnerId === null ? null : attempt('job', () => deps.ledger.jobAtEnd(runnerId)),
    samplesKey === null ? null : attempt('ring', () => deps.ledger.hostSamples(samplesKey)),
  ])
  return { job, ring, missing }
}
