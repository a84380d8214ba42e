import { isOpen } from '../../../../domain/job/index.ts'
import { planEnd, retiredEnd, retirement } from '../../../../domain/job-event/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Database, sql } from '../../connection/index.ts'
import { closing, wakeFreed } from '../incident/closing.ts'
import { lockJob } from '../job/lock.ts'
import { applyPlan, lockOpenAttempt, RowsMoved } from '../plan/index.ts'

/** Closes a job and its open attempt on an operator's order. */
export function retireJob(database: Database, jobId: number, cause: Cause): Promise<'retired' | 'refused'> {
  return database.transaction(async (tx) => {
    const locked = await lockJob(tx, jobId)
    if (locked === null || !isOpen(locked.job)) return 'refused'
    if (!locked.hasOpenAttempt) {
      await applyPlan(tx, locked, [{ on: 'job', id: jobId, transition: retirement }], cause)
      return 'retired'
    }
    const { rows } = await tx.query<{ handle: string }>(sql`
      select handle from attempts where job_id = ${jobId} and ended_at is null`)
    const bound = await lockOpenAttempt(tx, rows[0]?.handle ?? '')
    if (bound === null) throw new RowsMoved(`job ${jobId}`)
    const changes = planEnd(bound, retiredEnd(bound, cause.source))
    if (changes === 'refused') return 'refused'
    await applyPlan(tx, bound, changes, cause)
    return 'retired'
  })
}

const note = 'its installation was retired'

/** Settles what waits of an installation, and closes its incidents with their holds. */
export function retireRest(
  database: Database,
  installation: string,
): Promise<{ readonly deliveries: number; readonly incidents: number }> {
  return database.transaction(async (tx) => {
    const settled = await tx.query(sql`
      update deliveries set state = 'ignored', note = ${note}, settled_at = now()
       where installation = ${installation} and state = 'pending'`)
    const { rows } = await tx.query<{ closed: number }>(sql`
      with ${closing(sql`installation = ${installation}`)}, woken as (${wakeFreed})
      select (select count(*) from closed) as closed, (select count(*) from woken) as woken`)
    return { deliveries: settled.rowCount, incidents: rows[0]?.closed ?? 0 }
  })
}
