import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryLedger } from '../../../../sim/world/ledger/index.ts'
import { createRandom } from '../../../../sim/world/random.ts'
import { recordedLog } from '../../../../test/support/machine.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { classifyDeath } from '../../../domain/death/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { shipRecordsLoop } from './index.ts'

const cause = { source: 'operator' } as const
const never = new AbortController().signal
const failed = new HoldfastError('E_SINK_FAILED', { sink: 'it', reason: 'no' })
const refused = new HoldfastError('E_SINK_REFUSED', { sink: 'it', reason: 'no' })

let now: number
let ledger: Ledger
let bench: ReturnType<typeof createBench>
beforeEach(async () => {
  now = 1_000_000
  ledger = createMemoryLedger({ clock: { now: () => now }, entropy: createRandom(1) })
  await ledger.putPools([aPool({ name: 'linux' })], cause)
  bench = createBench()
})

/** A process with its loop, and a sink that outlives it. */
function createBench(written: number[] = []) {
  const errors: unknown[] = []
  /** Records that the sink always refuses. */
  const poison = new Set<number>()
  /** The process dies after the sink has the records, before it stores its position. */
  let diesAfterWrite = false
  const counted = new Map<string, number>()
  const gauges = new Map<string, number>()
  const metrics: Metrics = {
    count: (name, labels, by = 1) => {
      const key = [name, ...Object.values(labels)].join(' ')
      counted.set(key, (counted.get(key) ?? 0) + by)
    },
    set: (name, _, value) => void gauges.set(name, value),
    observe() {},
  }
  const log = recordedLog()
  const loop = shipRecordsLoop({
    ledger,
    metrics,
    log,
    entropy: createRandom(2),
    clock: { now: () => now, sleep: async () => {}, after: () => () => {} },
    sink: {
      name: 'it',
      async write(records) {
        const error = errors.shift()
        if (error !== undefined) throw error
        if (records.some(({ id }) => poison.has(id))) throw refused
        written.push(...records.map(({ id }) => id))
        if (diesAfterWrite) throw new Error('killed')
      },
    },
  })
  return {
    written,
    errors,
    poison,
    counted,
    gauges,
    log,
    pass: () => loop.pass(never),
    dieAfterWrite: () => {
      diesAfterWrite = true
    },
  }
}

async function die(count: number): Promise<number[]> {
  const before = (await ledger.deathsAfter(0, 10_000)).length
  for (let n = 0; n < count; n += 1) {
    const name = `linux-${before + n}`
    const given = { name, pool: 'linux', host: 'host-1', identityHash: null, bootDeadlineMs: 1_000 }
    const runner = await ledger.enrol(given, cause)
    await ledger.sealDeath(runner.id, classifyDeath(null), 'x', cause)
  }
  return (await ledger.deathsAfter(0, 10_000)).map(({ id }) => id)
}

describe('death records for the sink', () => {
  it('are written once, in order, and then there is nothing to do', async () => {
    const ids = await die(3)
    expect(await bench.pass()).toEqual({ kind: 'done' })
    expect(await bench.pass()).toEqual({ kind: 'done' })
    expect(bench.written).toEqual(ids)
    expect(bench.counted.get('holdfast_records_written_total')).toBe(3)
  })

  it('go in bounded batches, a backlog without waiting for the next resync', async () => {
    const ids = await die(120)
    expect(await bench.pass()).toEqual({ kind: 'requeue-after', afterMs: 100 })
    expect(bench.written).toHaveLength(50)
    await bench.pass()
    expect(await bench.pass()).toEqual({ kind: 'done' })
    expect(bench.written).toEqual(ids)
  })

  it('stay in the ledger while the sink fails, and continue in order when it recovers', async () => {
    const ids = await die(2)
    bench.errors.push(failed, refused, refused, refused, refused) // the batch of three, and then each of them
    await bench.pass()
    const more = await die(1)
    await bench.pass()
    expect(bench.written).toEqual([])
    await bench.pass()
    expect(bench.written).toEqual([...ids, more.at(-1)])
    expect(bench.counted.get('holdfast_records_failures_total failed')).toBe(1)
    expect(bench.counted.get('holdfast_records_failures_total refused')).toBe(1)
  })

  it('are retried with a bounded back-off, which is logged once', async () => {
    await die(1)
    const pauses: number[] = []
    for (let n = 0; n < 12; n += 1) {
      bench.errors.push(failed)
      const outcome = await bench.pass()
      if (outcome.kind === 'requeue-after') pauses.push(outcome.afterMs)
    }
    expect(pauses).toHaveLength(12)
    expect(pauses[0]).toBeLessThanOrEqual(5_000)
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(150_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300_000)
    await bench.pass()
    const logged = bench.log.lines.filter(({ level }) => level !== 'debug').map(({ level }) => level)
    expect(logged).toEqual(['warn', 'info'])
  })

  it('are written again by a new process where the old one died before it stored its position', async () => {
    const ids = await die(2)
    bench.dieAfterWrite()
    await expect(bench.pass()).rejects.toThrow('killed')
    const next = createBench(bench.written)
    await next.pass()
    expect(bench.written).toEqual([...ids, ...ids])
    await next.pass()
    expect(bench.written).toHaveLength(4)
  })

  it('are written also after their runners were archived', async () => {
    const ids = await die(2)
    await ledger.archive(0, 10)
    await bench.pass()
    expect(bench.written).toEqual(ids)
  })

  it('have the age of the oldest unwritten one as a metric', async () => {
    await die(1)
    now += 90_000
    bench.errors.push(failed)
    await bench.pass()
    expect(bench.gauges.get('holdfast_records_lag_seconds')).toBe(90)
    await bench.pass()
    await bench.pass()
    expect(bench.gauges.get('holdfast_records_lag_seconds')).toBe(0)
  })

  it('are written although the sink refuses one of them, which is logged and skipped', async () => {
    const ids = await die(4)
    bench.poison.add(ids[1] as number)
    await bench.pass()
    await bench.pass()
    expect(bench.written).toEqual([ids[0], ids[2], ids[3]])
    const logged = bench.log.lines.filter(({ level }) => level === 'error')
    expect(logged).toMatchObject([{ fields: { evidence: ids[1] } }])
    expect(bench.counted.get('holdfast_records_failures_total refused')).toBe(1)
    const more = await die(1)
    await bench.pass()
    expect(bench.written.at(-1)).toBe(more.at(-1))
  })

  it('are not skipped where the sink accepts no later one, and only a few are tried', async () => {
    const ids = await die(20)
    for (const id of ids) bench.poison.add(id)
    await bench.pass()
    expect(bench.written).toEqual([])
    bench.poison.clear()
    await bench.pass()
    expect(bench.written).toEqual(ids)
  })
})
