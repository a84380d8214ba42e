import { isOpen, isSameName, type Job } from '../../../src/domain/job/index.ts'
import { type Pool, priorityOf, reroute, weightOf } from '../../../src/domain/pool/index.ts'
import { startTag } from '../../../src/domain/queue/index.ts'
import { isInService } from './queue.ts'
import { filter, type State } from './state.ts'

/** A job's pool, its class there, and its place in the fair queue. */
export function placeIn(
  state: State,
  pool: Pool | null,
  job: Pick<Job, 'repository' | 'name'>,
): Pick<Job, 'pool' | 'priority' | 'shareTag'> {
  if (pool === null) return { pool: null, priority: 'normal', shareTag: 0 }
  const open = filter(state.jobs, (other) => other.pool === pool.name && isOpen(other))
  const tags = (jobs: readonly Job[]) => jobs.map((other) => other.shareTag)
  const ofRepository = tags(open.filter((other) => isSameName(other.repository, job.repository)))
  const queued = tags(open.filter((other) => other.state === 'queued'))
  return {
    pool: pool.name,
    priority: priorityOf(pool, job),
    shareTag: startTag({
      poolTag: Math.max(0, ...tags(open.filter(isInService)), queued.length === 0 ? 0 : Math.min(...queued)),
      lastTag: ofRepository.length === 0 ? null : Math.max(...ofRepository),
      weight: weightOf(pool, job.repository),
    }),
  }
}

/** A job that comes back into the queue is routed by the pools as they are now. */
export function routedBack(state: State, job: Job): Job {
  const isBack = job.state === 'queued' && state.jobs.get(job.id)?.state !== 'queued'
  const moved = isBack ? reroute(job, [...state.pools.values()]) : null
  return moved === null ? job : { ...job, ...placeIn(state, moved.to, job) }
}

/** Routes a queued job that became readable by the present pools: it was skipped while they were put. */
export function routeAgain(state: State, jobId: number): void {
  const job = state.jobs.get(jobId)
  const moved = job?.state === 'queued' ? reroute(job, [...state.pools.values()]) : null
  if (job !== undefined && moved !== null) state.jobs.set(jobId, { ...job, ...placeIn(state, moved.to, job) })
}
