import {
  type BoundedAct,
  boundReached,
  type RecoveryBounds,
  type Tally,
  underWayMsMax,
} from '../../../../domain/recovery/index.ts'
import type { BoundedRecord, NewDecision } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'
import { recordDecision } from './record.ts'

/** Keeps our advisory locks apart from those of others. */
const boundsLock = 0x40_1d_fa_58

/** Records a decision within its bounds. All processes count one after the other: no two pass a bound together. */
export function recordBounded(
  database: Database,
  decision: NewDecision,
  act: BoundedAct,
  bounds: RecoveryBounds,
): Promise<BoundedRecord> {
  return database.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${boundsLock}, 0)`)
    await forgetOld(tx, bounds)
    const over = boundReached(act, bounds, await tallyOf(tx, act, bounds))
    if (over !== null) return { kind: 'over', over }
    const id = await recordDecision(tx, decision)
    await tx.query(sql`
      insert into bounded_acts (decision_id, kind, runner_id, node)
      values (${id}, ${act.kind}, ${act.runnerId}, ${act.node})`)
    return { kind: 'recorded', id }
  })
}

/** It was refused before anything was done: it counts no more. */
export async function releaseAct(db: Db, decisionId: number): Promise<void> {
  await db.query(sql`delete from bounded_acts where decision_id = ${decisionId}`)
}

async function tallyOf(
  tx: Db,
  { kind, runnerId, node }: BoundedAct,
  { windowMs }: RecoveryBounds,
): Promise<Tally> {
  const { rows } = await tx.query<Tally>(sql`
    select (select count(*) from runners where ended_at is null)
             + count(distinct runner_id) filter (where not is_live) as fleet,
           count(distinct runner_id) as done,
           count(distinct runner_id) filter (where node = ${node}) as "doneOnNode",
           count(distinct runner_id) filter (where is_under_way) as "underWay",
           count(distinct runner_id) filter (where is_under_way and node = ${node}) as "underWayOnNode"
      from bounded_acts,
           lateral (select at > clock_timestamp() - ${milliseconds(underWayMsMax)}::interval and exists (
             select from decisions where decisions.id = decision_id and outcome is null) as is_under_way) as begun,
           lateral (select exists (
             select from runners where runners.id = runner_id and ended_at is null) as is_live) as still
     where kind = ${kind} and runner_id <> ${runnerId} and at > clock_timestamp() - ${milliseconds(windowMs)}::interval`)
  return rows[0] as Tally
}

async function forgetOld(tx: Db, { windowMs }: RecoveryBounds): Promise<void> {
  await tx.query(sql`delete from bounded_acts where at < now() - ${milliseconds(2 * windowMs)}::interval`)
}
