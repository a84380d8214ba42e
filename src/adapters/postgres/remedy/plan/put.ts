import type { AnyPlan } from '../../../../domain/remedy/index.ts'
import { plansKeptMax } from '../../../../ports/plan-store.ts'
import { type Database, sql } from '../../connection/index.ts'

/** Stores a plan by its hash, and drops the oldest above the bound. */
export function putPlan(database: Database, hash: string, plan: AnyPlan): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.query(sql`
      insert into remedy_plans (hash, plan) values (${hash}, ${JSON.stringify(plan)}) on conflict do nothing`)
    await tx.query(sql`
      delete from remedy_plans
       where hash in (select hash from remedy_plans order by noted_at desc, hash offset ${plansKeptMax})`)
  })
}
