import { isOpen, isSameName, type Job, nameKey } from '../../../src/domain/job/index.ts'
import { closedTo, type Pool } from '../../../src/domain/pool/index.ts'
import { compareQueued, type QueueFacts, runOf, waitingSince } from '../../../src/domain/queue/index.ts'
import { isLive, type Runner, runnerStates } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { PoolCounts } from '../../../src/ports/ledger.ts'
import { filter, type IsServed, openAttemptOfJob, type State } from './state.ts'
import { isUnreadable, mustRead } from './unreadable.ts'

/** Repositories that `why` names; the sentence shows three of them. */
const aheadRepositoriesMax = 10

/** The job that a runner of this pool is given next. */
export function nextJob(state: State, pool: Pool, now: Instant, isServed: IsServed): Job | null {
  return inOrder(claimable(state, pool, now, isServed), pool, now)[0] ?? null
}

function inOrder(jobs: Job[], pool: Pool, now: Instant): Job[] {
  return jobs.sort((a, b) => compareQueued(a, b, now, pool.fairness.ageingMs))
}

/** Jobs of which each could be given to a runner now. */
function claimable(state: State, pool: Pool, now: Instant, isServed: IsServed): Job[] {
  const { capPerRepository, capPerOwner } = pool.fairness
  return waiting(state, pool, now, isServed).filter(
    (job) =>
      below(
        inService(state, pool.name, (other) => isSameName(other.repository, job.repository)),
        capPerRepository,
      ) &&
      below(
        inService(state, pool.name, (other) => isSameName(other.owner, job.owner)),
        capPerOwner,
      ),
  )
}

function waiting(state: State, pool: Pool, now: Instant, isServed: IsServed): Job[] {
  return filter(
    state.jobs,
    (job) =>
      job.pool === pool.name &&
      job.state === 'queued' &&
      !isUnreadable(state, 'job', job.id) &&
      job.quarantine === null &&
      job.notBefore <= now &&
      isServed(job) &&
      holdOn(state, job, now) === null,
  )
}

/** The hold on a job's repository or account; of several the longest. */
function holdOn(state: State, job: Job, now: Instant): QueueFacts['hold'] {
  const holds = state.holds
    .filter(
      ({ key, until }) => until > now && (isSameName(key, job.repository) || isSameName(key, job.owner)),
    )
    .map(({ key, reason, until }) => ({ key, reason, until }))
  holds.sort((a, b) => b.until - a.until)
  return holds[0] ?? null
}

/** Derived from the rows, never counted up and down (I9). */
function inService(state: State, pool: string, matches: (job: Job) => boolean): number {
  return filter(state.jobs, (job) => job.pool === pool && matches(job) && mayHoldRunner(state, job)).length
}

/** An unreadable job may be waiting or running: it counts against caps. */
function mayHoldRunner(state: State, job: Job): boolean {
  return isInService(job) || (isOpen(job) && isUnreadable(state, 'job', job.id))
}

/** Open, and given to somebody. */
export function isInService(job: Job): boolean {
  return isOpen(job) && job.state !== 'queued'
}

function below(count: number, cap: number | null): boolean {
  return cap === null || count < cap
}

export function countPools(state: State, now: Instant, isServed: IsServed): PoolCounts[] {
  const manned = filter(state.runners, isLive).map(({ pool }) => pool)
  return [...new Set([...state.pools.keys(), ...manned])].map((name) => {
    const pool = state.pools.get(name)
    return {
      pool: name,
      dispatchable: pool === undefined ? 0 : dispatchable(state, pool, now, isServed),
      queued: filter(
        state.jobs,
        (job) =>
          job.pool === name && job.state === 'queued' && isServed(job) && !isUnreadable(state, 'job', job.id),
      ).length,
      oldestWaitMs: oldestWaitMs(state, name, now, isServed),
      ...countRunners(state, name),
    }
  })
}

/** How many jobs could be given out together: of each repository and owner no more than its cap leaves room for. */
function dispatchable(state: State, pool: Pool, now: Instant, isServed: IsServed): number {
  const { capPerRepository, capPerOwner } = pool.fairness
  const repositories = Map.groupBy(waiting(state, pool, now, isServed), (job) => nameKey(job.repository))
  const byOwner = new Map<string, number>()
  for (const [repository, jobs] of repositories) {
    const busy = inService(state, pool.name, (job) => isSameName(job.repository, repository))
    const owner = nameKey((jobs[0] as Job).owner)
    byOwner.set(owner, (byOwner.get(owner) ?? 0) + Math.min(jobs.length, room(busy, capPerRepository)))
  }
  let sum = 0
  for (const [owner, count] of byOwner) {
    const busy = inService(state, pool.name, (job) => isSameName(job.owner, owner))
    sum += Math.min(count, room(busy, capPerOwner))
  }
  return sum
}

function room(count: number, cap: number | null): number {
  return cap === null ? Number.POSITIVE_INFINITY : Math.max(0, cap - count)
}

function oldestWaitMs(state: State, pool: string, now: Instant, isServed: IsServed): number {
  const waits = filter(
    state.jobs,
    (job) => job.pool === pool && job.state === 'queued' && job.quarantine === null && isServed(job),
  )
  return waits.reduce((longest, job) => Math.max(longest, now - waitingSince(job)), 0)
}

/** Runners that ended are history, not capacity: they are not counted. */
function countRunners(state: State, pool: string): Pick<PoolCounts, 'runners' | 'unreadable'> {
  const runners = Object.fromEntries(runnerStates.map((name) => [name, 0])) as Record<Runner['state'], number>
  let unreadable = 0
  for (const runner of filter(state.runners, (each) => each.pool === pool && isLive(each))) {
    if (isUnreadable(state, 'runner', runner.id)) unreadable += 1
    else runners[runner.state] += 1
  }
  return { runners, unreadable }
}

/** The facts from which `why` is computed. */
export function queueFacts(state: State, job: Job, now: Instant, isServed: IsServed): QueueFacts {
  mustRead(state, { job })
  const pool = job.pool === null ? undefined : state.pools.get(job.pool)
  const runners = filter(state.runners, (runner) => runner.pool === job.pool && isLive(runner))
  return {
    job,
    now,
    poolExists: pool !== undefined,
    closedPools: pool === undefined ? closedTo(job, [...state.pools.values()]) : [],
    ahead: pool === undefined || job.state !== 'queued' ? [] : ahead(state, pool, job, now, isServed),
    runningOfRepository: inPoolOf(state, job, (other) => isSameName(other.repository, job.repository)),
    runningOfOwner: inPoolOf(state, job, (other) => isSameName(other.owner, job.owner)),
    capPerRepository: pool?.fairness.capPerRepository ?? null,
    capPerOwner: pool?.fairness.capPerOwner ?? null,
    hold: holdOn(state, job, now),
    runners: {
      live: runners.length,
      idle: runners.filter(({ id, state: is }) => is === 'polling' && !isUnreadable(state, 'runner', id))
        .length,
      max: pool?.maxRunners ?? 0,
    },
    run: runOfJob(state, job, now),
  }
}

function runOfJob(state: State, job: Job, now: Instant): QueueFacts['run'] {
  const attempt = openAttemptOfJob(state, job.id)
  const pool = state.runners.get(attempt?.runnerId ?? 0)?.pool ?? ''
  return attempt === null ? null : runOf(attempt, job, state.everyPool.get(pool)?.maxJobMs ?? null, now)
}

function inPoolOf(state: State, job: Job, matches: (other: Job) => boolean): number {
  return job.pool === null ? 0 : inService(state, job.pool, matches)
}

function ahead(state: State, pool: Pool, job: Job, now: Instant, isServed: IsServed): QueueFacts['ahead'] {
  const before = claimable(state, pool, now, isServed).filter(
    (other) => other.id !== job.id && compareQueued(other, job, now, pool.fairness.ageingMs) < 0,
  )
  const rows = [...Map.groupBy(before, (other) => nameKey(other.repository))]
  rows.sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
  return rows.slice(0, aheadRepositoriesMax).map(([, jobs]) => ({
    repository: jobs.map(({ repository }) => repository).toSorted()[0] ?? '',
    jobs: jobs.length,
  }))
}
