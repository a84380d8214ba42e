import type { Ending } from './ending.ts'
import { isLast, type LogSigns } from './log.ts'
import type { JobReport } from './record.ts'

/**
 * A runner reports the end of its job around its own end. The forge gives up a silent runner only minutes after its last
 * lease renewal, which is due every 60 s: an end that the forge dates near the runner's was most likely reported by it.
 */
const reportedBeforeMs = 60_000
const reportedAfterMs = 120_000
const reportedByRunner: ReadonlySet<string> = new Set(['success', 'skipped', 'neutral', 'cancelled'])

/**
 * How the forge's state of the job fits the runner's end. `agrees`: an end that only the runner can have reported; `fits`:
 * an end that the log or the time matches; `lost`: no end although time passed, or another one than in the log; `unclear`: a
 * failure that may be either; `silent`: no job event since; `no-job`: there was no job.
 */
export type ForgeView = 'agrees' | 'fits' | 'lost' | 'unclear' | 'silent' | 'no-job'

/** Compares the forge's state of the job with the runner's end. The log is parsed only where the state alone does not decide. */
export function forgeView(
  { endedAt }: Pick<Ending, 'endedAt'>,
  job: JobReport | null,
  log: () => LogSigns,
): ForgeView {
  if (job === null) return 'no-job'
  const { forgeStatus, conclusion, heardAt: receivedAt, forgeCompletedAt } = job
  if (forgeStatus !== 'completed') {
    const isStillOpen = forgeStatus !== null && receivedAt !== null && receivedAt > endedAt + reportedAfterMs
    return isStillOpen ? 'lost' : 'silent'
  }
  if (reportedByRunner.has(conclusion ?? '')) return 'agrees'
  const result = log().jobResult?.line
  if (result !== undefined) return result.endsWith('Succeeded') ? 'lost' : 'fits'
  const at = forgeCompletedAt ?? receivedAt
  if (at === null || at < endedAt - reportedBeforeMs) return 'unclear'
  if (at <= endedAt + reportedAfterMs) return 'fits'
  // By then the runner was gone, so the forge itself ended the job; without its time, the event may only have come late.
  return forgeCompletedAt === undefined ? 'unclear' : 'lost'
}

/** Whether the last relevant line of the runner's program says that its job was done. */
export function logSaysDone(log: LogSigns): boolean {
  if (isLast(log, 'inOrder', 'runningJob')) return true
  return isLast(log, 'jobResult', 'runningJob', 'hiddenCode', 'terminatedError')
}
