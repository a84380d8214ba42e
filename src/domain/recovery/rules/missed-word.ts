import { isAwaitingApproval } from '../../job/index.ts'
import { isLive } from '../../runner/index.ts'
import { rule } from '../rule.ts'
import { isDisowned } from './disowned-run.ts'
import {
  decisiveAgeMs,
  forgeIsAhead,
  isTooNewToBeGone,
  lookAgain,
  settledAfterMs,
  uneasyMs,
} from './shared.ts'

/** How often a job that runs on a live runner is asked after: only a lost `completed` is found by it. */
const runningCheckMs = 10 * 60_000

/** A build that runs here costs one question in ten minutes. */
export const missedEnd = rule({
  name: 'missed-end',
  why: 'A job has been running for long: the forge may have said that it is over, and the message was lost.',
  on: 'attempt',
  needs: { forgeJob: decisiveAgeMs },
  without: {},
  concerns: ({ attempt, runner }, now) =>
    attempt.state === 'running' && isLive(runner) && now >= attempt.checkAt,
  act: (subject, { forgeJob }) => {
    if (forgeJob !== undefined && isDisowned(forgeJob)) return null // `disowned-run` asks more
    return forgeIsAhead(subject, forgeJob) ?? lookAgain(runningCheckMs)
  },
})

/** The forge is asked about a job that waits longer than expected, or that runs on a runner of somebody else. */
export const staleQueued = rule({
  name: 'stale-queued',
  why: 'A job has been open for long without an attempt of ours: the forge may have finished it or given it away.',
  on: 'job',
  needs: { forgeJob: decisiveAgeMs },
  without: {
    hosted: 'no runner of ours has the job',
    forgeRunner: 'no runner of ours has the job',
  },
  concerns: ({ job }, now) => now >= job.checkAt,
  act: (subject, { forgeJob, now }) => {
    if (isTooNewToBeGone(subject, forgeJob, now)) return lookAgain(uneasyMs)
    if (forgeJob?.kind === 'gone') {
      return [{ kind: 'close-job', jobId: subject.job.id, conclusion: 'gone' }]
    }
    const ahead = forgeIsAhead(subject, forgeJob)
    if (ahead !== null) return ahead
    // It runs here on somebody else's runner, yet the forge has it queued again: nobody runs it (I6).
    if (subject.job.state === 'running' && forgeJob?.kind === 'known' && forgeJob.word.status === 'queued') {
      if (now < (subject.job.forgeStartedAt ?? 0) + settledAfterMs) return lookAgain(uneasyMs)
      return [{ kind: 'requeue-job', jobId: subject.job.id }]
    }
    return lookAgain(isAwaitingApproval(subject.job) ? awaitingApprovalMs : staleQueuedMs)
  },
})

/** A healthy queue is asked about once in five minutes a job. */
const staleQueuedMs = 5 * 60_000
/** An approval may take days; the webhook and the audit report it first. */
const awaitingApprovalMs = 30 * 60_000
