import type { QueueFacts } from '../../../../domain/queue/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { holdingRunners } from '../rows/index.ts'

/** Repositories that `why` names; its sentence shows three of them. */
const repositoriesMax = 10

/** Jobs that could be given out now and go before this one, by repository; the order is that of the claim. */
export async function ahead(tx: Db, jobId: number, serves: string | null): Promise<QueueFacts['ahead']> {
  const { rows } = await tx.query<{ repository: string; jobs: number }>(sql`
    with me as (
      select jobs.*, pools.cap_per_repository, pools.cap_per_owner, now() - pools.ageing as aged_before
        from jobs join pools on pools.name = jobs.pool
       where jobs.id = ${jobId}
    ), serving as (
      select lower(jobs.repository) as repository, lower(jobs.owner) as owner
        from ${holdingRunners} as jobs join me on jobs.pool = me.pool
    )
    select min(jobs.repository collate "C") as repository, count(*) as jobs
      from jobs
      join me on jobs.pool = me.pool and jobs.id <> me.id
     where jobs.state = 'queued' and jobs.quarantine is null and jobs.not_before <= now()
       and (${serves}::text is null or jobs.installation = ${serves}::text)
       and case
             when jobs.waiting_since <= aged_before and me.waiting_since <= aged_before
               then (jobs.waiting_since, jobs.id) < (me.waiting_since, me.id)
             when jobs.waiting_since <= aged_before then true
             when me.waiting_since <= aged_before then false
             else (jobs.priority, jobs.share_tag, jobs.id) < (me.priority, me.share_tag, me.id)
           end
       and not exists (select from holds where until > now()
                          and (kind = 'repository' and lower(key) = lower(jobs.repository)
                               or kind = 'account' and lower(key) = lower(jobs.owner)))
       and lower(jobs.repository) not in (
             select repository from serving group by repository
             having count(*) >= (select cap_per_repository from me))
       and lower(jobs.owner) not in (
             select owner from serving group by owner
             having count(*) >= (select cap_per_owner from me))
     group by lower(jobs.repository)
     order by count(*) desc, lower(jobs.repository) collate "C"
     limit ${repositoriesMax}`)
  return rows.map(({ repository, jobs }) => ({ repository, jobs }))
}
