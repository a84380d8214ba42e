import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, idleRunner, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { classifyDeath, type DeathRecord } from '../../../domain/death/index.ts'
import { aDeathRecord, aJobAtEnd, anEnd, aPodEnd, aRunnerEnd } from '../../../domain/death/testing.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { newestEnds } from './runner/ends.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

const dayMs = 86_400_000
const migration = new URL('../../../../migrations/0006_ends.sql', import.meta.url)

async function die(record: DeathRecord): Promise<void> {
  const runner = await idleRunner(ledger)
  await ledger.sealDeath(runner.id, record, 'gone', cause)
}

describe('ends in short', () => {
  it('of the last day are made from records that an earlier version sealed, archived or not', async () => {
    const containers = [aRunnerEnd({ name: 'vitals', image: 'vitals:1' }), aRunnerEnd({ image: 'runner:2' })]
    const ending = anEnd({ pod: aPodEnd({ containers }) })
    await die(aDeathRecord({ class: 'crash', ending, job: aJobAtEnd() }))
    await die(aDeathRecord({ class: 'clean', ending: anEnd({ endedAt: Date.UTC(2200, 0, 1) }) }))
    await ledger.archive(0, 10)
    await die(aDeathRecord({ class: 'evicted', confidence: 'likely', ending: anEnd({ pod: aPodEnd() }) }))
    await die(classifyDeath(null))
    const before = await ledger.ends({ withinMs: dayMs, limit: 10 })
    expect(before).toHaveLength(4)
    await bench.run('drop table ends cascade') // with the function that purges it
    await bench.run(await readFile(migration, 'utf8'))
    await bench.run('grant select on ends to public')
    expect(await ledger.ends({ withinMs: dayMs, limit: 10 })).toEqual(before)
  })

  it('are read by their index, and no record with them', async () => {
    await bench.run(`
      insert into ends (runner_id, runner, pool, class, confidence, at, sealed_at)
      select n, 'linux-' || n, 'linux', 'crash', 'likely', now(), now() - n * interval '1 minute'
        from generate_series(1, 50000) as n`)
    await bench.run('vacuum analyze ends')
    const { text, values } = newestEnds({ withinMs: dayMs, classes: ['crash'], limit: 100 })
    const { rows } = await bench.database.query({ text: `explain ${text}`, values })
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('ends_sealed')
    expect(plan).not.toMatch(/Seq Scan|Sort|evidence/)
    const counts = await ledger.endCounts({ withinMs: dayMs })
    expect(counts).toEqual([{ class: 'crash', count: 1439 }])
  })

  it('of a class that this program does not know are unknown', async () => {
    await bench.run(`
      insert into ends (runner_id, runner, pool, class, confidence, at)
      values (1, 'linux-1', 'linux', 'struck-by-lightning', 'proven', now())`)
    expect(await ledger.ends({ withinMs: dayMs, limit: 10 })).toMatchObject([{ class: 'unknown' }])
  })
})
