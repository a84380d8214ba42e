import type { Explanation } from '../api/index.ts'
import { classifyLog, type DeathClass } from '../domain/death/index.ts'
import { judgeJobFailure } from '../domain/job-failure/index.ts'
import type { Instant } from '../domain/time.ts'
import { compose } from './compose.ts'
import { endingItems } from './evidence/index.ts'

/** A log of which nothing else is known. */
export interface LogExcerpt {
  readonly name: string
  /** Its newest part, without secrets. */
  readonly text: string
  /** Whether older lines were left out. */
  readonly isCut: boolean
  /** When it was last written to; null where that is not known. */
  readonly writtenAt: Instant | null
}

/** Classes that a log alone gives for what a job wrote: where that says why the job failed, its runner may well live. */
const isOfJob: ReadonlySet<DeathClass> = new Set([
  ...(['unknown', 'failed', 'sigkill-unknown', 'guest-oom'] as const),
  ...(['disk-full', 'host-file-table', 'process-file-table'] as const),
])

/** Explains an end by a log alone. The writer of a log can write anything: nothing in it is proof. */
export function explainLog(log: LogExcerpt, now: Instant): Explanation {
  const judged = classifyLog(log.text, log.writtenAt ?? now)
  const { ending } = judged
  const jobVerdict = judgeJobFailure({ job: null, log: log.text, runner: null })
  return compose({
    now,
    ending,
    ring: null,
    sealed: null,
    verdict: jobVerdict !== null && isOfJob.has(judged.class) ? null : judged,
    jobVerdict,
    subject: { asked: log.name, kind: 'log', title: `Log ${log.name}` },
    job: null,
    runner: null,
    pod: null,
    summary: log.isCut ? 'Only the newest part of the log was read.' : 'The log was read whole.',
    evidence: ending === null ? [] : endingItems(ending).filter(({ source }) => source === 'log'),
    timeline: [],
    actionsTaken: [],
    unknown: ['whether the log is true: what a job runs can write anything into it'],
    nextSteps: [],
  })
}
