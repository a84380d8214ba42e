import type { Attempt } from '../../../src/domain/attempt/index.ts'
import { runnerDeath } from '../../../src/domain/death/index.ts'
import { HoldfastError } from '../../../src/domain/errors/index.ts'
import {
  awaitsApproval,
  isAwaitingApproval,
  isOpen,
  isSameName,
  type Job,
  noBackOff,
} from '../../../src/domain/job/index.ts'
import {
  type BoundAttempt,
  changesOrigin,
  isApproved,
  isForeign,
  isMoved,
  type JobEvent,
  type KnownRows,
  losesJob,
  originAfter,
  type PlanContext,
  planJobEvent,
} from '../../../src/domain/job-event/index.ts'
import { hasLabels, type Pool, reroute, routeToPool } from '../../../src/domain/pool/index.ts'
import type { ApplyResult, Cause, Leader } from '../../../src/ports/ledger.ts'
import { mayLead } from './enrolling.ts'
import { moveRepository } from './incidents.ts'
import { placeIn } from './placing.ts'
import { filter, find, openAttemptOfJob, openAttemptOfRunner, type State } from './state.ts'
import { appendTimeline, applyPlan, type Tx, wakeJobs } from './transaction.ts'
import { isUnreadable, mustRead } from './unreadable.ts'

/** Applies a job event, about a known job or a new one. */
export function applyJobEvent(
  tx: Tx,
  event: JobEvent,
  cause: Cause,
  context: PlanContext & { readonly staleQueuedAfterMs: number },
): ApplyResult {
  const { state } = tx
  const { installation, forgeJobId } = event.job
  const archived = find(state.archived, ({ job }) => isSame(job, installation, forgeJobId))
  if (archived !== null) return { kind: 'nothing', jobId: archived.job.id }
  const known = find(state.jobs, (job) => isSame(job, installation, forgeJobId))
  mustRead(state, { job: known })
  const job = known ?? insert(tx, event, cause, context.staleQueuedAfterMs)
  if (job === null) return { kind: 'foreign' }
  const moved =
    known !== null && isOpen(known) && (isMoved(known, event) || changesOrigin(known, event, cause))
  if (moved) move(tx, known, event, cause)
  if (known !== null && isAwaitingApproval(known) && isApproved(event)) {
    approve(tx, known.id, cause)
    return { kind: 'changed', jobId: known.id }
  }
  const plan = planJobEvent(knownRowsOf(state, state.jobs.get(job.id) ?? job, event), event, context)
  applyPlan(tx, plan, cause)
  const lost = losesJob(plan) && ({ isLost: true } as const)
  if (known === null) return { kind: 'new', jobId: job.id, ...lost }
  if (!moved && plan.length === 0) return { kind: 'nothing', jobId: job.id }
  return { kind: 'changed', jobId: job.id, ...lost }
}

export function isSame(job: Job, installation: string, forgeJobId: number): boolean {
  return job.installation === installation && job.forgeJobId === forgeJobId
}

function insert(tx: Tx, event: JobEvent, cause: Cause, staleQueuedAfterMs: number): Job | null {
  const { state, now } = tx
  const pools = [...state.pools.values()]
  const pool = routeToPool(event.job, pools)
  if (
    isForeign(
      event,
      pools.some((each) => hasLabels(each, event.job.labels)),
    )
  )
    return null
  const id = tx.nextId('jobs')
  const job: Job = {
    id,
    ...event.job,
    owner: event.job.repository.split('/')[0] as string,
    ...placeIn(state, pool, event.job),
    state: 'queued',
    conclusion: null,
    executor: null,
    mintFailures: 0,
    requeues: 0,
    notBefore: noBackOff,
    quarantine: event.waitsForApproval ? awaitsApproval : null,
    forgeQueuedAt: event.queuedAt,
    forgeStartedAt: null,
    forgeCompletedAt: null,
    seenAt: now,
    checkAt: now + staleQueuedAfterMs,
    endedAt: null,
  }
  state.jobs.set(id, job)
  const facts = { status: event.status, pool: job.pool }
  appendTimeline(tx, cause, { subject: 'job', subjectId: id, jobId: id, kind: 'seen', facts })
  wakeJobs(tx, job.pool)
  return job
}

/** Its repository was renamed or has another owner, or more is said of what it runs: from now on it counts there. */
function move(tx: Tx, job: Job, event: JobEvent, cause: Cause): void {
  const { state } = tx
  const given = event.job
  const isElsewhere = !isSameName(job.repository, given.repository)
  const repository = isElsewhere ? given.repository : job.repository
  const there = {
    ...job,
    ...originAfter(job, event, cause),
    repository,
    owner: repository.split('/')[0] as string,
  }
  const routed = job.state === 'queued' ? reroute(there, [...state.pools.values()]) : null
  const placed = routed === null ? there : { ...there, ...placeIn(state, routed.to, there) }
  state.jobs.set(job.id, placed)
  const subject = { subject: 'job', subjectId: job.id, jobId: job.id } as const
  if (isElsewhere) {
    moveRepository(tx, job.installation, job.repository, repository)
    appendTimeline(tx, cause, { ...subject, kind: 'moved', facts: { from: job.repository, to: repository } })
  }
  if (routed !== null)
    appendTimeline(tx, cause, { ...subject, kind: 'routed', facts: { from: job.pool, to: placed.pool } })
  wakeJobs(tx, placed.pool)
}

/** The forge lets runners have it now. */
function approve(tx: Tx, id: number, cause: Cause): void {
  const job = tx.state.jobs.get(id) as Job
  if (job.state !== 'queued') return
  tx.state.jobs.set(job.id, { ...job, quarantine: null })
  appendTimeline(tx, cause, { subject: 'job', subjectId: job.id, jobId: job.id, kind: 'approved', facts: {} })
  wakeJobs(tx, job.pool)
}

function knownRowsOf(state: State, job: Job, event: JobEvent): KnownRows {
  const ofJob = openAttemptOfJob(state, job.id)
  const ofRunner = event.runnerName === null ? null : newestUnderName(state, event.runnerName)
  return {
    job,
    ofJob: ofJob === null ? null : bound(state, ofJob),
    ofRunner: ofRunner === null ? null : bound(state, ofRunner),
    runnerHasOpenAttempt: ofRunner !== null && openAttemptOfRunner(state, ofRunner.runnerId) !== null,
  }
}

function newestUnderName(state: State, name: string): Attempt | null {
  return filter(state.attempts, (attempt) => attempt.forgeRunnerName === name).at(-1) ?? null
}

/** An attempt with its job and runner. */
export function bound(state: State, attempt: Attempt): BoundAttempt {
  const job = state.jobs.get(attempt.jobId)
  const runner = state.runners.get(attempt.runnerId)
  if (job === undefined || runner === undefined) {
    throw new HoldfastError('E_BUG', { what: `attempt ${attempt.id} lacks its job or its runner` })
  }
  mustRead(state, { job, attempt, runner })
  const sealed = runner.evidenceId === null ? undefined : state.evidence.get(runner.evidenceId)
  const death = sealed === undefined ? null : runnerDeath(sealed.record, sealed.sealedAt)
  return { attempt, job, runner, death }
}

/** Makes these the pools; a queued job that its pool does not serve any more is routed again. */
export function putPools(
  tx: Tx,
  pools: readonly Pool[],
  cause: Cause,
  leader: Leader | null,
): 'put' | 'deposed' {
  const { state } = tx
  if (leader !== null && !mayLead(tx, leader)) return 'deposed'
  for (const name of new Set([...state.pools.keys(), ...pools.map(({ name }) => name)])) wakeJobs(tx, name)
  state.pools = new Map(pools.map((pool) => [pool.name, pool]))
  for (const pool of pools) state.everyPool.set(pool.name, pool)
  for (const job of filter(state.jobs, (candidate) => candidate.state === 'queued')) {
    if (isUnreadable(state, 'job', job.id)) continue
    const moved = reroute(job, pools)
    if (moved === null) continue
    state.jobs.set(job.id, { ...job, ...placeIn(state, moved.to, job) })
    const facts = { from: job.pool, to: moved.to?.name ?? null }
    appendTimeline(tx, cause, { subject: 'job', subjectId: job.id, jobId: job.id, kind: 'routed', facts })
  }
  return 'put'
}
