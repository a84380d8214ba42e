import type { Attempt } from '../domain/attempt/index.ts'
import { endKinds, eventKinds, type JobAtEnd, jobAtEndOf } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import type { JobFile } from '../ports/ledger.ts'

/**
 * The newest report of the forge about the job of an attempt; null where it is about another runner: a job that was
 * queued again and then succeeded elsewhere says nothing about the end of the first runner.
 */
export function lastReportOf(attempt: Attempt, { job, attempts, timeline }: JobFile): JobAtEnd | null {
  const isNewest = attempts.every(({ id }) => id <= attempt.id)
  const isElsewhere = job.executor !== null && job.executor !== attempt.forgeRunnerName
  if (!isNewest || isElsewhere) return null
  const newest = (kinds: readonly string[]): Instant | null =>
    timeline.findLast(({ subject, kind }) => subject === 'job' && kinds.includes(kind))?.at ?? null
  return jobAtEndOf(attempt, job, { eventAt: newest(eventKinds), endAt: newest(endKinds) })
}
