import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../../../sim/world/random.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, idleRunner, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { classifyDeath, type Ending, type PodCondition } from '../../../domain/death/index.ts'
import { aPodEnd, aRunnerEnd } from '../../../domain/death/testing.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { sql } from '../connection/index.ts'

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

const kib = 1_024
const dayMs = 86_400_000
const batchSize = 200
const random = createRandom(6)

const clean: Ending = {
  exitCode: 0,
  signal: null,
  startedAt: 1,
  endedAt: 2,
  tail: '',
  stopRequestedBy: null,
  missing: [],
  oomKills: 0,
  memoryPeakBytes: 1,
  memoryLimitBytes: 2,
  samples: [],
  pod: aPodEnd({
    conditions: conditions(
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
      'PodReadyToStartContainers',
    ),
    events: ['Scheduled', 'Pulled', 'Created', 'Started', 'Killing'].map((reason) => ({
      type: 'Normal',
      reason,
      count: 1,
      firstAt: 1,
      lastAt: 2,
      message: `What the kubelet says about ${reason} of the container runner`,
    })),
    nodeAtEnd: {
      isGone: false,
      isCordoned: false,
      taints: [],
      conditions: conditions('MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'),
    },
    containers: ['poller', 'runner', 'vitals'].map((name) =>
      aRunnerEnd({ name, imageDigest: 'sha256:'.padEnd(71, '0') }),
    ),
  }),
}

function conditions(...types: string[]): PodCondition[] {
  return types.map((type) => ({ type, status: 'True', reason: `${type}Reason`, message: null, at: 1 }))
}

/** Lines as jobs print them: times, words that come again, numbers that do not. */
function logTail(bytes: number): string {
  const words = [
    'Downloading',
    'Compiling',
    'test',
    'passed',
    'src/module',
    'warning:',
    'unused',
    'node_modules',
  ]
  let text = ''
  while (text.length < bytes) {
    const at = new Date(1_700_000_000_000 + text.length * 37).toISOString()
    text += `${at} ${random.pick(words)} ${random.pick(words)} ${Math.round(random.between(0, 1e9))}\n`
  }
  return text.slice(-bytes)
}

/** Bytes on disk of one archived runner with such a death, with its indexes and its timeline. */
async function bytesEach(endings: readonly Ending[]): Promise<number> {
  const size = async () => {
    const { rows } = await bench.run(`select pg_total_relation_size('archived_runners')::int as bytes`)
    return rows[0].bytes as number
  }
  const before = await size()
  for (const ending of endings) {
    const runner = await idleRunner(ledger)
    await ledger.sealDeath(runner.id, classifyDeath(ending), 'ended', cause)
  }
  expect(await ledger.archive(0, endings.length)).toBe(endings.length)
  return Math.round(((await size()) - before) / endings.length)
}

const died = (tail: string): Ending => ({ ...clean, exitCode: 137, tail })
const noise = (bytes: number) => Buffer.from(random.bytes(bytes)).toString('base64').slice(0, bytes)
const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

describe('the stored size of a year of deaths', () => {
  // The figures of docs/design/forensics-retention.md.
  it('is a few KiB for a clean end, and a packed tail for a death', async () => {
    const ofClean = await bytesEach(many(100, () => clean))
    const ofDeath = await bytesEach(many(40, () => died(logTail(64 * kib))))
    const { rows } = await bench.run(`
      select distinct pg_column_compression(record) as packed from archived_runners where length(record::text) > 9000`)
    const ofNoise = await bytesEach(many(20, () => died(noise(64 * kib))))
    expect(['lz4', 'pglz']).toContain(rows[0].packed)
    expect(ofClean).toBeLessThan(4 * kib)
    expect(ofDeath).toBeLessThan(40 * kib)
    expect(ofNoise).toBeLessThan(96 * kib)
  })
})

describe('the purge of many', () => {
  const insertRunners = (from: number, count: number, age: string) =>
    bench.behind(
      `insert into archived_runners (id, name, ended_at, evidence_id, sealed_at, record, file)
       select n, 'linux-' || n, now() - interval '${age}' - n * interval '1 second', n, now() - interval '${age}',
              '{"class": "clean"}', '{"runner": {"pool": "linux", "host": "here"}}'
         from generate_series(${from}::bigint, ${from + count - 1}::bigint) as n`,
    )
  const left = async () => {
    const { rows } = await bench.run(
      'select count(*)::int as count, min(id)::int as least from archived_runners',
    )
    return rows[0]
  }

  it('removes all that is past retention in bounded batches, and nothing else', async () => {
    await insertRunners(1, 5_000, '91 days')
    await insertRunners(5_001, 1_000, '80 days')
    let batches = 0
    for (let dropped = batchSize; dropped === batchSize; batches += 1) {
      dropped = await ledger.purge(90 * dayMs, batchSize)
      expect(dropped).toBeLessThanOrEqual(batchSize)
    }
    expect(batches).toBe(5_000 / batchSize + 1)
    expect(await left()).toEqual({ count: 1_000, least: 5_001 })
  })

  it('finds them by indexes, also among jobs that need their runners', async () => {
    await insertRunners(1, 20_000, '80 days')
    await bench.behind(`
      insert into archived_jobs (id, installation, forge_job_id, repository, ended_at, file, runner_ids)
      select n, 'forge', n, 'acme/app', now(), '{}', array[n] from generate_series(1, 20000) as n`)
    await bench.run('vacuum analyze archived_runners, archived_jobs')
    await bench.run('select pg_stat_force_next_flush()') // what was read until here is not counted below
    await bench.run('begin')
    await bench.run(`select purge_archived_runners('90 days', ${batchSize})`) // none of them, and all looked at
    await bench.run(`select purge_archived_runners('79 days', 10)`) // old enough, and needed by jobs
    const { rows } = await bench.run(`
      select relname, seq_scan::int, idx_scan::int > 0 as by_index from pg_stat_xact_user_tables
       where relname in ('archived_jobs', 'archived_runners') order by relname`)
    await bench.run('rollback')
    expect(rows).toEqual([
      { relname: 'archived_jobs', seq_scan: 0, by_index: true },
      { relname: 'archived_runners', seq_scan: 0, by_index: true },
    ])
  })

  it('archives runners that never had a job in bounded batches too', async () => {
    for (const _ of many(7, () => 0)) {
      const runner = await idleRunner(ledger)
      await ledger.sealDeath(runner.id, classifyDeath(null), 'vanished', cause)
    }
    expect(await ledger.archive(0, 5)).toBe(5)
    expect(await ledger.archive(0, 5)).toBe(2)
    expect((await bench.database.query(sql`select from evidence`)).rowCount).toBe(0)
    expect((await left()).count).toBe(7)
  })
})
