import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

describe('a turn that was asked for while another was being taken', () => {
  it('is refused for as long as that one makes it wait, though it began before that one was there', async () => {
    const ledger = await bench.open()
    const other = new pg.Client({ connectionString: bench.url })
    await other.connect()
    try {
      await other.query('begin')
      await other.query(`insert into cursors (name, at) values ('line', now() + interval '80 s')`)
      const asked = ledger.takeTurn('line', 40_000, 100_000)
      await expect.poll(waiting).toBe(1)
      await other.query('commit')
      const inMs = await asked
      expect(inMs).toBeGreaterThan(10_000)
      expect(inMs).toBeLessThan(21_000)
    } finally {
      await other.end()
    }
  })
})

async function waiting(): Promise<number> {
  const { rows } = await bench.run(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event = 'transactionid'`,
  )
  return rows[0].count
}
