import type { Context } from './context.ts'
import { carryOver } from './jobs.ts'
import type { Job } from './model.ts'
import { withDependents } from './plan.ts'
import { announceRun } from './run-news.ts'
import { latestOf } from './run-status.ts'
import { isOver, jobsOf, proceed, runOf } from './workflow.ts'

/** The scope of a rerun: all jobs, failed ones, or one job; each with its dependents. */
export type RerunChoice = 'all' | 'failed' | { readonly jobId: number }

/** `nothing`: nothing of it failed. `old-attempt`: the job is not of the newest attempt. */
export type Rerun = 'started' | 'absent' | 'running' | 'nothing' | 'old-attempt'

/** A new attempt, whose jobs have new ids; also those that need not run again. */
export function rerun(context: Context, runId: number, what: RerunChoice): Rerun {
  const { store } = context
  const run = runOf(context, runId)
  if (run === undefined) return 'absent'
  if (!isOver(context, run)) return 'running'
  const latest = latestOf(jobsOf(context, runId))
  if (typeof what === 'object' && store.jobs.get(what.jobId)?.runAttempt !== run.attempt) return 'old-attempt'
  const chosen = [...run.plan.keys()].filter((place) => {
    const job = latest.get(place)
    if (what === 'all' || job === undefined) return true
    return what === 'failed' ? hasFailed(job) : job.id === what.jobId
  })
  if (chosen.length === 0) return 'nothing'
  const waiting = [...withDependents(run.plan, new Set(chosen))]
  const attempt = run.attempt + 1
  const begunAgainAt = [...(run.begunAgainAt ?? []), store.now]
  store.put('runs', { ...run, attempt, begunAgainAt, state: 'open', waiting, updatedAt: store.now })
  for (const [place, job] of latest) if (!waiting.includes(place)) carryOver(context, job, attempt)
  announceRun(context, runId)
  proceed(context, runId)
  return 'started'
}

function hasFailed({ conclusion }: Job): boolean {
  return conclusion === 'failure' || conclusion === 'cancelled'
}
