import { runnerStates } from '../../../../domain/runner/index.ts'
import type { PoolCounts } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { holdingRunners, ofKnownPriority } from '../rows/index.ts'

/** The jobs and runners of each pool. `dispatchable` is how many jobs could be given out together. */
export async function counts(db: Db, serves: string | null): Promise<PoolCounts[]> {
  const { rows } = await db.query<{
    pool: string
    dispatchable: number
    queued: number
    oldestWaitMs: number
    runners: Readonly<Record<string, number>>
  }>(sql`
    with waiting as (
      select pool, lower(owner) as owner, lower(repository) as repository, count(*) as jobs
        from jobs
       where state = 'queued' and quarantine is null and not_before <= now()
         and (${serves}::text is null or installation = ${serves}::text) and ${ofKnownPriority}
         and not exists (select from holds where until > now()
                            and (kind = 'repository' and lower(key) = lower(repository)
                                 or kind = 'account' and lower(key) = lower(owner)))
       group by 1, 2, 3
    ), serving as (
      select pool, lower(owner) as owner, lower(repository) as repository, count(*) as jobs
        from ${holdingRunners} as jobs
       group by 1, 2, 3
    ), by_repository as (
      select waiting.pool, waiting.owner, waiting.repository,
             case when cap_per_repository is null then waiting.jobs
                  else least(waiting.jobs, greatest(0, cap_per_repository - coalesce(serving.jobs, 0))) end as jobs
        from waiting
        join pools on pools.name = waiting.pool
        left join serving on serving.pool = waiting.pool and serving.repository = waiting.repository
    ), serving_owner as (
      select pool, owner, sum(jobs) as jobs from serving group by pool, owner
    ), waiting_owner as (
      select pool, owner, sum(jobs) as jobs from by_repository group by pool, owner
    ), by_owner as (
      select waiting_owner.pool,
             case when cap_per_owner is null then waiting_owner.jobs
                  else least(waiting_owner.jobs, greatest(0, cap_per_owner - coalesce(serving_owner.jobs, 0)))
             end as jobs
        from waiting_owner
        join pools on pools.name = waiting_owner.pool
        left join serving_owner using (pool, owner)
    )
    select pools.name as pool,
           coalesce((select sum(jobs) from by_owner where by_owner.pool = pools.name), 0)::bigint as dispatchable,
           (select count(*) from jobs where jobs.pool = pools.name and state = 'queued'
               and (${serves}::text is null or installation = ${serves}::text)) as queued,
           -- A clock that was set back must not give a wait below none.
           coalesce((select greatest(0, extract(epoch from now() - min(waiting_since)) * 1000)
                       from jobs where jobs.pool = pools.name and state = 'queued' and quarantine is null
                        and (${serves}::text is null or installation = ${serves}::text)),
                    0)::double precision as "oldestWaitMs",
           coalesce((select jsonb_object_agg(state, runners)
                       from (select state, count(*) as runners from runners
                              where runners.pool = pools.name and ended_at is null
                              group by state) as by_state), '{}') as runners
      from pools
     where removed_at is null
        or exists (select from runners where runners.pool = pools.name and ended_at is null)
     order by pools.name`)
  return rows.map((row) => ({ ...row, ...byState(row.runners) }))
}

function byState(counted: Readonly<Record<string, number>>): Pick<PoolCounts, 'runners' | 'unreadable'> {
  const known = runnerStates.map((state) => [state, counted[state] ?? 0] as const)
  const all = Object.values(counted).reduce((sum, count) => sum + count, 0)
  return {
    runners: Object.fromEntries(known) as PoolCounts['runners'],
    unreadable: all - known.reduce((sum, [, count]) => sum + count, 0),
  }
}
