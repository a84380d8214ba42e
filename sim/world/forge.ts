import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { JobOrigin } from '../../src/domain/job/index.ts'
import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type { ForgeJobFact } from '../../src/domain/snapshot/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { Forge, JobsAsked, ListedJobs, MintRefused, OrderAnswer } from '../../src/ports/forge.ts'
import {
  defaultBranch,
  type ForgeCore,
  headSha,
  type Job,
  jobSteps,
  type Rerun,
} from '../forge/core/index.ts'

const incidentRetryMs = 10 * 60_000

/** The Forge port straight over the simulated forge's truth: what the HTTP boundary and the adapter do, without either. */
export function createForgeTwin(core: ForgeCore, installation: string, now: () => Instant): Forge {
  const gone = (signal: AbortSignal) => {
    if (signal.aborted) throw new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'aborted' })
  }
  return {
    async mint({ scope: { repository }, name, labels, runnerGroup }, signal) {
      gone(signal)
      if (runnerGroup !== undefined) return groupless(runnerGroup)
      const mint = () => core.mint({ repository, name, labels }, now())
      const first = mint()
      const isCleared = first.kind === 'name-taken' && removeUnused(core, repository, name, now())
      const result = isCleared ? mint() : first
      if (result.kind === 'minted')
        return { kind: 'minted', forgeRunnerId: result.runner.id, jit: result.jit }
      if (result.kind === 'name-taken') {
        const reason = 'Already exists'
        return { kind: 'refused', concerns: 'job', reason, retryAfterMs: null, incident: null }
      }
      return {
        kind: 'refused',
        concerns: 'repository',
        reason: 'Not Found',
        retryAfterMs: incidentRetryMs,
        incident: 'repository-not-covered',
      }
    },
    async findRunner(scope, name, signal) {
      gone(signal)
      core.advance(now())
      const runner = core.runners(scope.repository).find((candidate) => candidate.name === name)
      if (runner === undefined) return null
      return { id: runner.id, name, online: runner.state === 'online', busy: runner.jobId !== null }
    },
    async removeRunner(scope, forgeRunnerId, signal) {
      gone(signal)
      return core.removeRunner(scope.repository, forgeRunnerId, now())
    },
    async readJob(_scope, forgeJobId, signal) {
      gone(signal)
      core.advance(now())
      const job = core.job(forgeJobId)
      return job === null ? null : jobEventOf(job, installation, core)
    },
    async readJobDetail(_scope, forgeJobId, signal) {
      gone(signal)
      core.advance(now())
      const job = core.job(forgeJobId)
      return job === null ? null : jobFactOf(job, jobEventOf(job, installation, core))
    },
    async readRunJobs(_scope, runId, signal) {
      gone(signal)
      core.advance(now())
      return core.jobsOf(runId).map((job) => jobFactOf(job, jobEventOf(job, installation, core)))
    },
    async readOrigin(_scope, runId, signal) {
      gone(signal)
      core.advance(now())
      const run = core.run(runId)
      return run === null ? null : { ...visibilityIn(core, run.repository), isFork: run.fork !== undefined }
    },
    async readRunHead(_scope, runId, signal) {
      gone(signal)
      core.advance(now())
      const run = core.run(runId)
      if (run === null) return null
      const branchOf = (each: { readonly branch?: string | undefined }) => each.branch ?? defaultBranch
      const jobs = core.jobs().filter(({ repository }) => repository === run.repository)
      const later = jobs
        .map((job) => core.run(job.runId))
        .findLast((each) => {
          const isLater = each !== null && each.id > runId && each.fork === run.fork
          return isLater && branchOf(each) === branchOf(run)
        })
      const isOver = core.jobsOf(runId, run.attempt).every(({ status }) => status === 'completed')
      const newerSha = later ? headSha(later.id) : null
      return { isOver, headSha: headSha(runId), branch: branchOf(run), newerSha }
    },
    async listJobs(asked, signal) {
      gone(signal)
      core.advance(now())
      const listed = core.jobs().filter((job) => isListed(core, job, asked))
      return listedOf(core, listed, installation)
    },
    async unreachable(_installation, repositories, signal) {
      gone(signal)
      const unknown = repositories.filter(({ repository }) => core.repository(repository) === null)
      return unknown.map(({ repository }) => ({
        repository,
        incident: 'repository-not-covered',
        reason: 'Not Found',
      }))
    },
    async rerunJob(_scope, forgeJobId, signal) {
      gone(signal)
      const runId = core.job(forgeJobId)?.runId ?? 0
      return orderAnswer(core.rerun(runId, { jobId: forgeJobId }, now()))
    },
    async rerunFailedJobs(_scope, runId, signal) {
      gone(signal)
      return orderAnswer(core.rerun(runId, 'failed', now()))
    },
    async cancelRun(_scope, runId, signal) {
      gone(signal)
      return orderAnswer(core.cancelRun(runId, now()))
    },
    async readLog(_scope, forgeJobId, signal) {
      gone(signal)
      core.advance(now())
      // The core keeps no logs: that of a job that is over is there, and empty.
      return core.job(forgeJobId)?.status === 'completed' ? '' : null
    },
    readLimit: async () => {}, // its limit shows itself by refusals alone
  }
}

function jobFactOf(job: Job, { status, conclusion, ...event }: JobEvent): ForgeJobFact {
  return {
    repository: job.repository,
    runId: job.runId,
    runAttempt: job.runAttempt,
    jobId: job.id,
    name: job.name,
    workflow: event.job.workflow ?? null,
    status,
    conclusion,
    labels: job.labels,
    runnerName: event.runnerName,
    runnerId: job.runnerId,
    headSha: headSha(job.runId),
    queuedAt: event.queuedAt,
    startedAt: event.startedAt,
    completedAt: event.completedAt,
    steps: jobSteps(job),
    annotations: job.annotations.map((message) => ({ level: 'failure', title: null, message })),
    url: null,
  }
}

/** Its runners are those of repositories, and in no group. */
function groupless(named: string): MintRefused {
  const reason = `The pool's runners belong into the group "${named}", but there are none here.`
  return {
    kind: 'refused',
    concerns: 'job',
    incident: 'runner-group-unsupported',
    reason,
    retryAfterMs: incidentRetryMs,
  }
}

/** A runner that never came, or went without work, holds its name for nothing. */
function removeUnused(core: ForgeCore, repository: string, name: string, now: Instant): boolean {
  const holder = core.runners(repository).find((runner) => runner.name === name)
  if (holder === undefined) return true
  if (holder.state === 'online' || holder.jobId !== null) return false
  return core.removeRunner(repository, holder.id, now) !== 'busy'
}

function orderAnswer(outcome: Rerun | 'cancelled' | 'over'): OrderAnswer {
  if (outcome === 'started' || outcome === 'cancelled') return { kind: 'done' }
  const reasons = {
    absent: 'Not Found',
    running: 'The run is under way',
    over: 'The run is over',
    nothing: 'Nothing of the run failed',
    'old-attempt': 'The job is of an older attempt',
  }
  return { kind: 'refused', reason: reasons[outcome] }
}

/** As the adapter does: runs that are under way, and newer ones unless nothing can be new in them. */
export function isListed(core: ForgeCore, job: Job, { since, settledRuns, heldBack }: JobsAsked): boolean {
  const run = core.run(job.runId)
  if (run === null) return false
  if (run.status !== 'completed') return true
  const heldSince = heldBack?.get(job.repository.toLowerCase())
  if (heldSince !== undefined) return run.createdAt >= heldSince
  return run.createdAt >= since && !settledRuns.has(run.id)
}

/** The answer to a question about all repositories. */
export function listedOf(core: ForgeCore, jobs: readonly Job[], installation: string): ListedJobs {
  const events = jobs.map((job) => jobEventOf(job, installation, core))
  const read = [...new Set(core.jobs().map(({ repository }) => repository))]
  return { events, read, notCovered: [], runsGone: 0 }
}

function visibilityIn(core: Pick<ForgeCore, 'repository'>, repository: string): JobOrigin {
  return { visibility: core.repository(repository)?.isPublic === true ? 'public' : 'private' }
}

export function jobEventOf(
  job: Job,
  installation: string,
  core: Pick<ForgeCore, 'run' | 'repository'>,
): JobEvent {
  const workflow = core.run(job.runId)?.name
  return {
    job: {
      installation,
      forgeJobId: job.id,
      runId: job.runId,
      runAttempt: job.runAttempt,
      repository: job.repository,
      name: job.name,
      ...(workflow === undefined ? {} : { workflow }),
      ...visibilityIn(core, job.repository),
      labels: job.labels,
    },
    // As the adapter reads it: what waits for an approval is open, and no runner is given it.
    status: job.status === 'waiting' ? 'queued' : job.status,
    ...(job.status === 'waiting' && { waitsForApproval: true as const }),
    runnerName: job.runnerName,
    conclusion: job.conclusion,
    queuedAt: job.createdAt,
    startedAt: job.startedAt,
    completedAt: job.completedAt,
  }
}
