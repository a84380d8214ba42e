import type { Ending } from './ending.ts'
import { isLast, type LogSigns } from './log.ts'
import type { JobAtEnd } from './record.ts'

/**
 * Around its end a runner reports that of its job. The forge gives up a runner that it does not hear only minutes after
 * its last renewal, which is due each 60 s: what it says about then, it was most likely told.
 */
const REPORTED_BEFORE_MS = 60_000
const REPORTED_AFTER_MS = 120_000
const toldByRunner: ReadonlySet<string> = new Set(['success', 'skipped', 'neutral', 'cancelled'])

/**
 * What the forge's word says about a runner that ended: it has an end that only the runner can have told (`agrees`), or
 * one that the log or the time fits (`fits`); it did not, or says another end than the log (`lost`); a failure that may be either
 * (`unclear`); not heard since (`silent`).
 */
export type ForgeView = 'agrees' | 'fits' | 'lost' | 'unclear' | 'silent' | 'no-job'

/** The log is read only where the forge's word alone does not decide. */
export function forgeView(
  { endedAt }: Pick<Ending, 'endedAt'>,
  job: JobAtEnd | null,
  log: () => LogSigns,
): ForgeView {
  if (job === null) return 'no-job'
  const { forgeStatus, conclusion, heardAt, forgeCompletedAt } = job
  if (forgeStatus !== 'completed') {
    const isHeardLate = forgeStatus !== null && heardAt !== null && heardAt > endedAt + REPORTED_AFTER_MS
    return isHeardLate ? 'lost' : 'silent'
  }
  if (toldByRunner.has(conclusion ?? '')) return 'agrees'
  const result = log().jobResult?.line
  if (result !== undefined) return result.endsWith('Succeeded') ? 'lost' : 'fits'
  const at = forgeCompletedAt ?? heardAt
  if (at === null || at < endedAt - REPORTED_BEFORE_MS) return 'unclear'
  if (at <= endedAt + REPORTED_AFTER_MS) return 'fits'
  // The runner was gone by then: nobody but the forge itself can have ended it. A word may only have been heard late.
  return forgeCompletedAt === undefined ? 'unclear' : 'lost'
}

/** Whether the last that the runner's program wrote is that its job was done. */
export function logSaysDone(log: LogSigns): boolean {
  if (isLast(log, 'inOrder', 'runningJob')) return true
  return isLast(log, 'jobResult', 'runningJob', 'hiddenCode', 'terminatedError')
}
