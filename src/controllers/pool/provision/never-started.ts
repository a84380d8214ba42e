import { classifyDeath, type DeathRecord } from '../../../domain/death/index.ts'
import type { Instant } from '../../../domain/time.ts'

/** The death record of a runner that never existed but for its row. */
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
  // This Holdfast refused it: nothing of it can have begun.
  return { ...record, confidence: 'likely', because: ['Its program was never started.', why] }
}
