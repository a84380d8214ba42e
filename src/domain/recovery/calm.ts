import type { Instant } from '../time.ts'
import { deadlineOf } from './rules/job-deadline.ts'
import { silentAt } from './rules/silent-runner.ts'
import type { Subject } from './view.ts'

const calmMsMin = 15_000
/** However long a runner may be silent: whether we were away is known only when it is looked at. */
const calmMsMax = 2 * 60_000
/** A runner at work is seen by its attempt and by its host; this is the net below. */
const atWorkMs = 60_000
/** However short the limit of a pool is. */
const beginMsMin = 1_000

/** How long a subject that no rule concerns now is left alone: nothing can concern it much sooner. */
export function calmMsOf(subject: Subject, now: Instant): number {
  if (subject.kind !== 'runner') return calmMsMin
  const { runner, hasOpenAttempt, maxJobMs = atWorkMs } = subject
  if (hasOpenAttempt) return atWork(deadlineOf(subject) - now, maxJobMs)
  if (runner.state !== 'polling') return calmMsMin
  return Math.max(calmMsMin, Math.min(calmMsMax, silentAt(subject) - now))
}

/** A job that has not begun may be past its deadline so long after it does; one that is past it already is in other hands. */
function atWork(leftMs: number, maxJobMs: number): number {
  const soonMs = Number.isFinite(leftMs) && leftMs > 0 ? leftMs : maxJobMs
  return Math.max(beginMsMin, Math.min(atWorkMs, soonMs))
}
