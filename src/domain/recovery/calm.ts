import type { Instant } from '../time.ts'
import { silentAt } from './rules/silent-runner.ts'
import type { Subject } from './view.ts'

const calmMsMin = 15_000
/** A runner at work is seen by its attempt and by its host; this is the net below. */
const atWorkMs = 60_000

/** How long a subject that no rule concerns now is left alone: nothing can concern it much sooner. */
export function calmMsOf(subject: Subject, now: Instant): number {
  if (subject.kind !== 'runner') return calmMsMin
  const { runner, hasOpenAttempt } = subject
  if (hasOpenAttempt) return atWorkMs
  return runner.state === 'polling' ? Math.max(calmMsMin, silentAt(runner) - now) : calmMsMin
}
