import { isAwaitingApproval, type Job, type JobOrigin, jobFields } from '../../../domain/job/index.ts'
import type { JobEvent } from '../../../domain/job-event/index.ts'
import { needsOrigin, type Pool } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { done, eachBounded, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { JobEventLedger, JobReader, PoolLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'

interface OriginDeps {
  readonly ledger: PoolLedger & JobEventLedger & JobReader
  readonly forge: Pick<Forge, 'readOrigin'>
  readonly installation: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const resyncMs = 10_000
/** Bounds one pass (I10); newest first, because older ones have been tried. */
const jobsMax = 1_000
const runsMax = 200
/** Runs that are read in parallel. */
const atOnceMax = 8
/** A run whose origin the forge did not give is read again after this. */
const askAgainMs = 60_000

/**
 * Reads from the forge where the code of a run comes from, for jobs that no pool serves only because this is unknown: a
 * webhook about a job says whether its repository is public, and not whether its commits are from a fork. One call for
 * each run with all its jobs, and none where every pool takes forks, or the repository is known to be private.
 */
export function originLoop({ ledger, forge, installation, clock, log, metrics }: OriginDeps): Loop {
  /** When the origin of a run was last requested without an answer that settles where its jobs go. */
  let unanswered = new Map<number, Instant>()

  async function ask(jobs: readonly Job[], pools: readonly Pool[], signal: AbortSignal): Promise<void> {
    const [job] = jobs as [Job]
    const origin = await forge.readOrigin({ installation, repository: job.repository }, job.runId, signal)
    if (origin === null) throw new Error('the forge does not know the run')
    for (const each of jobs) await ledger.applyJobEvent(queuedEvent(each, origin), { source: 'dispatch' })
    // Jobs of this run that come later (`needs`) must not wait as those of an unanswered one do.
    if (!needsOrigin({ ...job, ...origin }, pools)) unanswered.delete(job.runId)
  }

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const pools = await ledger.pools()
    const { rows } = await ledger.jobs({ states: ['queued'], pool: null, limit: jobsMax })
    const unknown = rows.filter((job) => job.installation === installation && needsOrigin(job, pools))
    const runs = Map.groupBy(unknown, ({ runId }) => runId)
    unanswered = new Map([...unanswered].filter(([runId]) => runs.has(runId)))
    const isDue = (runId: number) =>
      Math.abs(clock.now() - (unanswered.get(runId) ?? Number.NEGATIVE_INFINITY)) >= askAgainMs
    const due = [...runs].filter(([runId]) => isDue(runId)).slice(0, runsMax)
    await eachBounded(due, atOnceMax, async ([runId, jobs]) => {
      unanswered.set(runId, clock.now())
      try {
        await ask(jobs, pools, signal)
      } catch (error) {
        if (signal.aborted) throw error
        metrics.count('holdfast_task_failures_total', { task: 'job-origin' })
        log.warn({ ...jobFields(jobs[0] as Job), err: error }, 'the origin of a run could not be read')
      }
    })
    return done
  }

  return {
    name: 'job-origin',
    resyncMs,
    // Each pass reads the jobs without a route: where thousands wait, every new one would cost as much as all of them.
    restFactor: 4,
    wokenBy: (wake) => wake.kind === 'jobs' && wake.pool === '',
    pass,
  }
}

/** The job as it is stored, with its origin. */
function queuedEvent(job: Job, origin: JobOrigin): JobEvent {
  const { installation, forgeJobId, runId, runAttempt, repository, name, labels } = job
  return {
    job: { installation, forgeJobId, runId, runAttempt, repository, name, labels, ...origin },
    status: 'queued',
    // A job that waits for an approval still does: this event is no approval.
    ...(isAwaitingApproval(job) && { waitsForApproval: true as const }),
    runnerName: null,
    conclusion: null,
    queuedAt: job.forgeQueuedAt,
    startedAt: null,
    completedAt: null,
  }
}
