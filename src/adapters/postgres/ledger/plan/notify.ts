import { isOpen, type Job } from '../../../../domain/job/index.ts'
import type { AppliedPlan, LockedRows } from '../../../../domain/job-event/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import { type Db, sql } from '../../connection/index.ts'

/** On which channels the ledger says that something may be waiting. The payload of `jobs` is the pool, of `fenced` the runner. */
export const channels = {
  jobs: 'holdfast_jobs',
  fenced: 'holdfast_fenced',
  deliveries: 'holdfast_deliveries',
  recovery: 'holdfast_recovery',
} as const

/** Notifies all listeners of a channel when the transaction commits. */
export async function notify(tx: Db, channel: keyof typeof channels, payload = ''): Promise<void> {
  await tx.query(sql`select pg_notify(${channels[channel]}, ${payload})`)
}

/** Wakes those for whom a plan made work: a job to claim, room under a cap, something due. */
export async function wakeFor(tx: Db, before: LockedRows, applied: AppliedPlan, now: Instant): Promise<void> {
  const waiting = applied.jobs.filter((job) => job.state === 'queued' && job.notBefore <= now)
  const left = applied.jobs.filter((job) => holdsRunner(before.jobs.get(job.id)) && !holdsRunner(job))
  if (waiting.length + left.length > 0) await notifyPools(tx, poolsOf(waiting), poolsOf(left))
  const open = [...applied.attempts.filter(({ endedAt }) => endedAt === null), ...applied.jobs.filter(isOpen)]
  if (open.some(({ checkAt }) => checkAt <= now)) await notify(tx, 'recovery')
}

/** A job that left makes room only where there is a cap. */
async function notifyPools(tx: Db, waiting: readonly string[], left: readonly string[]): Promise<void> {
  await tx.query(sql`
    select pg_notify(${channels.jobs}, name)
      from pools
     where name = any (${waiting}::text[])
        or (name = any (${left}::text[]) and (cap_per_repository is not null or cap_per_owner is not null))`)
}

function holdsRunner(job: Job | undefined): boolean {
  return job !== undefined && job.state !== 'queued' && isOpen(job)
}

function poolsOf(jobs: readonly Job[]): string[] {
  return [...new Set(jobs.flatMap(({ pool }) => (pool === null ? [] : [pool])))]
}
