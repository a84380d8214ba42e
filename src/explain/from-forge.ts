import { type Explanation, iso } from '../api/index.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import { judgeJobFailure } from '../domain/job-failure/index.ts'
import type { AttemptComparison } from '../domain/run-attempt/index.ts'
import type { Instant } from '../domain/time.ts'
import { beganEntries, overEntries, queuedEntries } from '../domain/timeline/index.ts'
import { compose } from './compose.ts'
import { evidenceItem, forgeJobItems } from './evidence/index.ts'
import type { JobAtForge } from './job-at-forge.ts'

/** Explains a job that is not ours by the forge's report: which runner ran it, and where to look next. */
export function explainJobEvent(
  event: JobEvent,
  asked: string,
  now: Instant,
  atForge: JobAtForge | null = null,
  attempts: AttemptComparison | null = null,
): Explanation {
  const { job, status, conclusion, runnerName } = event
  const state = `${status.replaceAll('_', ' ')}${conclusion === null ? '' : ` (${conclusion})`}`
  const on = runnerName === null ? '' : ` on ${runnerName}`
  return compose({
    now,
    ending: null,
    ring: null,
    sealed: null,
    verdict: null,
    jobVerdict: atForge && judgeJobFailure({ job: atForge.job, log: atForge.log, runner: null }),
    attempts,
    jobLog: atForge?.log ?? null,
    pod: null,
    actionsTaken: [],
    subject: { asked, kind: 'job', title: `Job ${job.forgeJobId}, ${job.repository} · ${job.name}` },
    job: {
      id: null,
      forge: `${job.installation}:${job.forgeJobId}`,
      state,
      repository: job.repository,
      name: job.name,
      said: saidOf(event),
    },
    runner: runnerName === null ? null : { name: runnerName, pool: null, state: 'not of this Holdfast' },
    summary: `The job is none of this Holdfast; the forge says that it is ${state}${on}.`,
    evidence: [
      evidenceItem('forge', now, `The job is ${state}${on}.`),
      ...forgeJobItems(atForge?.job ?? null, atForge?.log ?? null, now),
    ],
    timeline: [
      ...queuedEntries(event.queuedAt),
      ...beganEntries(event.startedAt, runnerName),
      ...overEntries(event.completedAt, conclusion),
    ],
    unknown: [
      ...(atForge?.unread ?? []),
      'how its runner ended: Holdfast does not run it, and has no record of it',
    ],
    nextSteps:
      runnerName === null
        ? []
        : [`If ${runnerName} is a pod, read it too: holdfast explain --namespace <namespace> ${asked}`],
  })
}

function saidOf({ job, status, conclusion, startedAt, completedAt }: JobEvent) {
  return {
    forgeJobId: job.forgeJobId,
    status,
    conclusion,
    startedAt: startedAt === null ? null : iso(startedAt),
    completedAt: completedAt === null ? null : iso(completedAt),
  }
}
