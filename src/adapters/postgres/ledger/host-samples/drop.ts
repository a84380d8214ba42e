import type { HostSampleLedger } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'

type Bounds = Parameters<HostSampleLedger['dropHostSamples']>[0]

/** Drops samples that are history, and of those that belong to no runner known here the oldest beyond a bound. */
export function dropHostSamples(database: Database, bounds: Bounds): Promise<number> {
  return database.transaction(async (tx) => {
    await claim(tx)
    const strangers = await dropStrangers(tx, bounds)
    return strangers + (await dropOld(tx, { ...bounds, limit: bounds.limit - strangers }))
  })
}

/** Samples of runners are marked once, so that only the others are looked up again. */
async function claim(tx: Db): Promise<void> {
  await tx.query(sql`
    update host_rings set is_runners = true
     where not is_runners
       and (exists (select from evidence
                     where kind = 'runner-death' and record #>> '{ending,pod,place,uid}' = host_rings.pod_uid)
            or exists (select from archived_runners where archived_runners.pod_uid = host_rings.pod_uid)
            or exists (select from runners where name = host_rings.pod_uid)
            or exists (select from runners where runners.pod_uid = host_rings.pod_uid)
            or exists (select from archived_runners where name = host_rings.pod_uid))`)
}

async function dropStrangers(tx: Db, { strangersMax, limit }: Bounds): Promise<number> {
  const { rowCount } = await tx.query(sql`
    delete from host_rings
     where (pod_uid, node) in (select pod_uid, node from host_rings
                        where not is_runners
                        order by pushed_at desc, pod_uid desc
                       offset ${strangersMax}
                        limit ${limit})`)
  return rowCount
}

async function dropOld(tx: Db, { olderThanMs, limit }: Bounds): Promise<number> {
  const { rowCount } = await tx.query(sql`
    delete from host_rings
     where (pod_uid, node) in (select pod_uid, node from host_rings
                        where pushed_at <= now() - ${milliseconds(olderThanMs)}::interval
                        order by pushed_at
                        limit ${limit}
                          for update skip locked)`)
  return rowCount
}
