import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, linuxPool } from '../../../../test/support/ledger-steps.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { sql } from '../connection/index.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench(1) // one session: each flushes only its own statistics
  ledger = await bench.open()
  await ledger.putPools([linuxPool(), { ...linuxPool(), name: 'small', labels: ['small'] }], cause)
  for (let from = 0; from < runnersMax; from += 1_000) {
    const names = Array.from({ length: 1_000 }, (_, n) => nameOf(from + n))
    await ledger.enrolAll(names.map(newRunner), { ...cause, rule: 'burst' }, { lease: 'l', token: '1' })
  }
  await bench.behind(`update runners set state = 'polling', polled_at = now() where id % 2 = 0`)
  await bench.run('select pg_stat_force_next_flush()') // so that these reads are not counted later
})
afterAll(() => bench[Symbol.asyncDispose]())

const runnersMax = 10_000
/** Rows that a call looks for, and rows that its index scan has to step over. */
const rowsMax = 20

const nameOf = (n: number) => `linux-${n.toString(16).padStart(8, '0')}`
const newRunner = (name: string) => ({
  name,
  pool: 'linux',
  host: 'here',
  identityHash: null,
  bootDeadlineMs: 60 * 60_000,
})

describe('among ten thousand live runners', () => {
  const calls: Record<string, () => Promise<unknown>> = {
    'one is found by its name': () => ledger.findRunner(nameOf(4_711)),
    'one polls': () => ledger.polled(4_711),
    'one polls for the first time': () => ledger.polled(4_713),
    'one proves who it is': () => ledger.bindIdentity(4_711, 'proof'),
    'one is fenced': () => ledger.fence(4_716, 'drained', cause),
    'one is looked at': () => ledger.subject({ kind: 'runner', id: 4_711 }),
    'those that are due are found': () => ledger.due(50, 'here'),
    'some are listed by name': () => ledger.runners(0, { names: [nameOf(1), nameOf(2)], host: 'here' }),
    'those of another pool are listed': () => ledger.runners(10, { pool: 'small' }),
    'one more is enrolled': () => ledger.enrol({ ...newRunner('small-1'), pool: 'small' }, cause),
    'failed starts are found': () => ledger.failedStarts('here', 60_000),
  }

  it.each(Object.keys(calls))('%s without reading the others', async (what) => {
    const before = await rowsRead()
    await calls[what]?.()
    expect((await rowsRead()) - before).toBeLessThanOrEqual(rowsMax)
  })

  it('the number of rows that are read is seen', async () => {
    const before = await rowsRead()
    await ledger.runners(0)
    expect((await rowsRead()) - before).toBeGreaterThanOrEqual(runnersMax)
  })

  it('each has one timeline row with the source and the rule of its enrolment', async () => {
    const { rows } = await bench.run(`
      select count(*)::integer as rows, count(distinct subject_id)::integer as runners
        from timeline join runners on runners.id = subject_id and facts = jsonb_build_object('pool', pool, 'name', name)
       where subject = 'runner' and kind = 'enrolled' and source = 'operator' and rule = 'burst' and job_id is null`)
    expect(rows).toEqual([{ rows: runnersMax, runners: runnersMax }])
  })
})

async function rowsRead(): Promise<number> {
  await bench.database.query(sql`select pg_stat_force_next_flush()`)
  const { rows } = await bench.database.query<{ read: number }>(sql`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'runners'`)
  return rows[0]?.read as number
}
