import { type Job, nameKey, priorities } from '../../../../domain/job/index.ts'
import { type Pool, priorityOf, weightOf } from '../../../../domain/pool/index.ts'
import { startTag } from '../../../../domain/queue/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { inService } from '../rows/index.ts'

export interface Moving {
  readonly job: Job
  /** Null: no pool serves it. */
  readonly to: Pool | null
}

/** Gives queued jobs their place in the pools to which they go, one after the other, as if they came just now. */
export async function placeInQueue(tx: Db, moving: readonly Moving[]): Promise<void> {
  if (moving.length === 0) return
  const tags = await readTags(tx)
  const placed = moving.map(({ job, to }) => ({
    id: job.id,
    pool: to?.name ?? null,
    priority: priorities.indexOf(to === null ? 'normal' : priorityOf(to, job)),
    shareTag: to === null ? 0 : nextTag(tags, to, job.repository),
  }))
  await tx.query(sql`
    update jobs
       set pool = placed.pool, priority = placed.priority, share_tag = placed.share_tag
      from unnest(
             ${placed.map(({ id }) => id)}::bigint[],
             ${placed.map(({ pool }) => pool)}::text[],
             ${placed.map(({ priority }) => priority)}::smallint[],
             ${placed.map(({ shareTag }) => shareTag)}::double precision[]
           ) as placed (id, pool, priority, share_tag)
     where jobs.id = placed.id`)
}

interface PoolTags {
  /** Highest in service. */
  served: number
  /** Lowest queued; null where nothing is. */
  next: number | null
  /** Highest open tag of each repository, by its key. */
  readonly last: Map<string, number>
}

async function readTags(tx: Db): Promise<Map<string, PoolTags>> {
  const { rows } = await tx.query<{
    pool: string
    repository: string
    served: number | null
    next: number | null
    last: number
  }>(sql`
    select pool, lower(repository) as repository,
           max(share_tag) filter (where state <> 'queued') as served,
           min(share_tag) filter (where state = 'queued' and quarantine is null) as next,
           max(share_tag) as last
      from (select * from jobs where state = 'queued'
            union all
            select * from jobs where state in ${inService}) as open
     where pool in (select name from pools where removed_at is null)
     group by pool, lower(repository)`)
  const tags = new Map<string, PoolTags>()
  for (const row of rows) {
    const pool = tagsOf(tags, row.pool)
    pool.served = Math.max(pool.served, row.served ?? 0)
    if (row.next !== null) pool.next = Math.min(pool.next ?? row.next, row.next)
    pool.last.set(row.repository, row.last)
  }
  return tags
}

function nextTag(tags: Map<string, PoolTags>, to: Pool, repository: string): number {
  const pool = tagsOf(tags, to.name)
  const tag = startTag({
    poolTag: Math.max(pool.served, pool.next ?? 0),
    lastTag: pool.last.get(nameKey(repository)) ?? null,
    weight: weightOf(to, repository),
  })
  pool.next = Math.min(pool.next ?? tag, tag)
  pool.last.set(nameKey(repository), tag)
  return tag
}

function tagsOf(tags: Map<string, PoolTags>, pool: string): PoolTags {
  const there = tags.get(pool) ?? { served: 0, next: null, last: new Map() }
  tags.set(pool, there)
  return there
}
