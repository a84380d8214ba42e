import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, enqueue, idleRunner, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { sql } from '../connection/index.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench(1) // plans belong to a connection: with one there is one of each
})
afterAll(() => bench[Symbol.asyncDispose]())

const rounds = 10

describe('the plans of prepared statements', () => {
  it('are made once for a connection, and not again for each claim', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    for (let n = 0; n < rounds; n += 1) {
      for (const job of [1, 2, 3]) await enqueue(ledger, 3 * n + job)
      const runners = await Promise.all([1, 2, 3].map(() => idleRunner(ledger)))
      // The first goes alone, the others together: both statements are used.
      await Promise.all(runners.map((runner) => ledger.claim(runner, randomUUID(), 60_000)))
    }
    const { rows } = await bench.database.query(sql`
      select name, custom_plans > 0 as "plannedAgain", generic_plans >= ${rounds}::bigint as kept
        from pg_prepared_statements
       where name = any (${['claim-next', 'claim-one', 'insert-job', 'touch-runners']}::text[])
       order by name`)
    const kept = { plannedAgain: false, kept: true }
    expect(rows).toEqual(
      ['claim-next', 'claim-one', 'insert-job', 'touch-runners'].map((name) => ({ name, ...kept })),
    )
  })
})
