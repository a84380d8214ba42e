import { type Ending, type HostSamples, seenOutside, type Verdict } from '../domain/death/index.ts'
import { isOpen, type Job } from '../domain/job/index.ts'
import { type JobVerdict, judgeJobFailure } from '../domain/job-failure/index.ts'
import { isLive } from '../domain/runner/index.ts'
import type { FoundSubject } from './find.ts'
import type { JobAtForge } from './job-at-forge.ts'

/** The job of a subject, where it is over and failed, now or in an earlier attempt: only then is the forge asked for more. */
export function jobToAsk({ job }: FoundSubject): Job | null {
  if (job === null || isOpen(job.job)) return null
  const { state, conclusion, runAttempt } = job.job
  const isWell = state === 'completed' && (conclusion === null || conclusion === 'success')
  return isWell && runAttempt <= 1 ? null : job.job
}

interface RunnerKnown {
  /** Null while it lives, or where no record of its end is here. */
  readonly end: Verdict | null
  readonly ending: Ending | null
  readonly ring: HostSamples | null
}

/** Why the job failed, by the forge, its log and its runner. Without the forge's answer, by the ledger's conclusion. */
export function failureOf(
  { job, runner }: FoundSubject,
  { job: reported, log }: JobAtForge,
  { end, ending, ring }: RunnerKnown,
): JobVerdict | null {
  if (job === null) return null
  const { forgeCompletedAt, state, conclusion } = job.job
  const isKnown = end !== null || (runner !== null && isLive(runner.runner))
  const outside = seenOutside({ ending, job: null, ring }, forgeCompletedAt)
  return judgeJobFailure({
    job: reported ?? { conclusion: conclusion ?? 'failure', steps: null, annotations: null },
    log,
    runner: isKnown ? { end, isLost: state === 'lost', ...outside } : null,
  })
}
