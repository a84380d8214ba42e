import { classifyDeath, type DeathRecord } from '../../../domain/death/index.ts'
import type { Instant } from '../../../domain/time.ts'

/** The death record of a runner of which nothing ever existed but its row. */
export function neverStarted(why: string, now: Instant): DeathRecord {
  const record = classifyDeath({
    exitCode: null,
    signal: null,
    startedAt: null,
    endedAt: now,
    tail: '',
    oomKills: null,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: null,
    pod: null,
    missing: [],
  })
  return { ...record, because: [...record.because, why] }
}
