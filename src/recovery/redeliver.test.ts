import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { ForgeDeliveries } from '../ports/forge-deliveries.ts'
import { createRedeliveryMemory, redeliver, redeliverLoop } from './index.ts'

const minuteMs = 60_000
const everyMs = 2 * minuteMs
const pass = (bench: ControlBench, deliveries: ForgeDeliveries = bench.deliveries) =>
  redeliver(bench, deliveries, never)
const cursorOf = (bench: ControlBench) => bench.ledger.cursor('deliveries sim')

function sent(bench: ControlBench, guid: string, isReceived: boolean, id = guid): void {
  bench.deliveries.sent.push({ id, guid, event: 'workflow_job', sentAt: bench.clock.now(), isReceived })
}

/** The forge's list; some requests for a redelivery get no answer. */
function unanswering(
  bench: ControlBench,
  isSilent: (of: { readonly id: string }) => boolean,
): ForgeDeliveries {
  const away = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'sendAgain', why: 'a test' })
  return {
    ...bench.deliveries,
    sendAgain: async (id, signal) => {
      if (isSilent({ id })) throw away
      return bench.deliveries.sendAgain(id, signal)
    },
  }
}

describe('redelivery', () => {
  it('requests the newest try of each message that was never received, the oldest message first', async () => {
    const bench = await createControlBench()
    sent(bench, 'lost', false, '1')
    await bench.advance(1_000)
    sent(bench, 'other', false, '2')
    await bench.advance(1_000)
    sent(bench, 'lost', false, '3')
    expect(await pass(bench)).toEqual({ looked: 2, missing: 2, sentAgain: 2, gone: 0 })
    expect(bench.deliveries.asked).toEqual(['3', '2'])
  })

  it('does not request a message that was received once, there or here', async () => {
    const bench = await createControlBench()
    sent(bench, 'retried', false, '1')
    sent(bench, 'retried', true, '2')
    sent(bench, 'stored', false, '3')
    const body = { installation: 'sim', event: 'workflow_job', subject: null, body: '' }
    await bench.ledger.storeDelivery({ guid: 'stored', ...body })
    expect(await pass(bench)).toEqual({ looked: 2, missing: 0, sentAgain: 0, gone: 0 })
  })

  it('looks back a day at first, and later only to the last pass', async () => {
    const bench = await createControlBench()
    const asked: number[] = []
    const deliveries = {
      ...bench.deliveries,
      async sentSince(since: number) {
        asked.push(bench.clock.now() - since)
        return []
      },
    }
    await pass(bench, deliveries)
    await bench.advance(10 * minuteMs)
    await pass(bench, deliveries)
    expect(asked).toEqual([24 * 60 * minuteMs + 2 * minuteMs, 12 * minuteMs])
  })

  it('keeps its cursor before the oldest message that is still missing', async () => {
    const bench = await createControlBench()
    await pass(bench)
    await bench.advance(minuteMs)
    const sentAt = bench.clock.now()
    sent(bench, 'lost', false, '1')
    await bench.advance(minuteMs)
    await pass(bench)
    expect(await cursorOf(bench)).toBe(sentAt - 1)
    sent(bench, 'lost', true, '2')
    await bench.advance(minuteMs)
    await pass(bench)
    expect(await cursorOf(bench)).toBe(bench.clock.now())
  })

  it('moves no cursor where the list could not be read', async () => {
    const bench = await createControlBench()
    const away = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'sentSince', why: 'a test' })
    const deliveries = { ...bench.deliveries, sentSince: () => Promise.reject(away) }
    await expect(pass(bench, deliveries)).rejects.toBe(away)
    expect(await cursorOf(bench)).toBeNull()
    expect(bench.memory.readAt).toBeNull()
  })

  it('requests the others where one request got no answer, and keeps its cursor before that message', async () => {
    const bench = await createControlBench()
    await pass(bench)
    await bench.advance(minuteMs)
    const sentAt = bench.clock.now()
    sent(bench, 'unlucky', false, '1')
    await bench.advance(1_000)
    sent(bench, 'lucky', false, '2')
    const report = await pass(
      bench,
      unanswering(bench, ({ id }) => id === '1'),
    )
    expect(report).toEqual({ looked: 2, missing: 2, sentAgain: 1, gone: 0 })
    expect(bench.deliveries.asked).toEqual(['2'])
    expect(await cursorOf(bench)).toBe(sentAt - 1)
    expect((await pass(bench)).sentAgain).toBe(2)
  })

  it('ends a pass without answers early and without an error', async () => {
    const bench = await createControlBench()
    for (let n = 0; n < 20; n += 1) sent(bench, `lost-${n}`, false)
    let questions = 0
    const deliveries = unanswering(bench, () => {
      questions += 1
      return true
    })
    expect(await pass(bench, deliveries)).toEqual({ looked: 20, missing: 20, sentAgain: 0, gone: 0 })
    expect(questions).toBe(5)
  })

  it('requests the others where a few never get an answer, however many passes those use up', async () => {
    const bench = await createControlBench()
    for (let n = 0; n < 5; n += 1) sent(bench, `closed-${n}`, false)
    await bench.advance(1_000)
    for (const guid of ['good-1', 'good-2']) sent(bench, guid, false)
    const deliveries = unanswering(bench, ({ id }) => id.startsWith('closed'))
    expect((await pass(bench, deliveries)).sentAgain).toBe(0)
    expect((await pass(bench, deliveries)).sentAgain).toBe(2)
    expect(bench.deliveries.asked.toSorted()).toEqual(['good-1', 'good-2'])
  })

  it('requests the others where one fails by a defect of ours, logs it, and gives it up after five times', async () => {
    const bench = await createControlBench()
    await pass(bench)
    await bench.advance(minuteMs)
    const sentAt = bench.clock.now()
    sent(bench, 'poison', false)
    await bench.advance(1_000)
    sent(bench, 'good', false)
    const sendAgain = async (id: string, signal: AbortSignal) => {
      if (id === 'poison') throw new Error('a test')
      return bench.deliveries.sendAgain(id, signal)
    }
    const deliveries = { ...bench.deliveries, sendAgain }
    expect(await pass(bench, deliveries)).toEqual({ looked: 2, missing: 2, sentAgain: 1, gone: 0 })
    expect(bench.deliveries.asked).toEqual(['good'])
    expect(await cursorOf(bench)).toBe(sentAt - 1)
    expect(bench.metrics.counts.get('holdfast_task_failures_total{redeliver}')).toBe(1)
    expect(bench.log.lines.filter(({ message }) => message.includes('could not be asked'))).toHaveLength(1)
    sent(bench, 'good', true, 'good again')
    for (let turn = 0; turn < 4; turn += 1) await pass(bench, deliveries)
    expect(await pass(bench, deliveries)).toMatchObject({ missing: 1, gone: 1 })
    expect(await bench.ledger.cursor('deliveries lost sim')).toBe(bench.clock.now())
  })

  it('ends with the error where the program ends', async () => {
    const bench = await createControlBench()
    sent(bench, 'lost', false)
    const ending = new AbortController()
    const sendAgain = async () => {
      ending.abort()
      throw ending.signal.reason
    }
    const passed = redeliver(bench, { ...bench.deliveries, sendAgain }, ending.signal)
    await expect(passed).rejects.toMatchObject({ name: 'AbortError' })
    expect(await cursorOf(bench)).toBeNull()
  })

  it('gives a message up after five times, logs that, and continues', async () => {
    const bench = await createControlBench()
    sent(bench, 'lost', false)
    for (let turn = 0; turn < 8; turn += 1) {
      await pass(bench)
      await bench.advance(everyMs)
    }
    expect(bench.deliveries.asked).toHaveLength(5)
    expect(bench.log.lines.filter(({ message }) => message.includes('lost for good'))).toHaveLength(1)
    expect(bench.metrics.counts.get('holdfast_redeliveries_total{given-up}')).toBe(1)
    expect(await cursorOf(bench)).toBe(bench.clock.now() - everyMs)
  })

  it('counts the tries in the list, also those that an earlier process requested', async () => {
    const bench = await createControlBench()
    for (let turn = 0; turn < 6; turn += 1) sent(bench, 'lost', false, String(turn))
    expect(await pass(bench)).toEqual({ looked: 1, missing: 1, sentAgain: 0, gone: 1 })
  })

  it('does not request a message again that the forge does not keep any more', async () => {
    const bench = await createControlBench()
    sent(bench, 'lost', false)
    let asked = 0
    const deliveries = {
      ...bench.deliveries,
      async sendAgain() {
        asked += 1
        return 'gone' as const
      },
    }
    expect(await pass(bench, deliveries)).toMatchObject({ missing: 1, gone: 1 })
    expect(await pass(bench, deliveries)).toMatchObject({ missing: 0, gone: 0 })
    expect(asked).toBe(1)
  })

  it('requests a bounded number in one pass, and is requeued soon for the rest', async () => {
    const bench = await createControlBench()
    for (let n = 0; n < 70; n += 1) sent(bench, `lost ${n}`, false)
    const loop = redeliverLoop(bench, everyMs)
    expect(await loop.pass(never)).toEqual({ kind: 'requeue-after', afterMs: 10_000 })
    expect(bench.deliveries.asked).toHaveLength(50)
    for (let n = 0; n < 50; n += 1) sent(bench, `lost ${n}`, true)
    expect(await loop.pass(never)).toEqual({ kind: 'done' })
    expect(bench.deliveries.asked).toHaveLength(70)
  })

  it('waits while the forge’s limit is low, and is rarer before', async () => {
    const bench = await createControlBench()
    sent(bench, 'lost', false)
    const loop = redeliverLoop(bench, everyMs)
    const low = (remaining: number) =>
      bench.budget.note({ limit: 1_000, remaining, resetAt: bench.clock.now() + 60 * minuteMs })
    low(400)
    expect(await loop.pass(never)).toEqual({ kind: 'requeue-after', afterMs: 3 * everyMs })
    low(50)
    expect(await loop.pass(never)).toEqual({ kind: 'requeue-after', afterMs: minuteMs })
    expect(bench.deliveries.asked).toHaveLength(1)
  })

  it('does nothing where the forge keeps no list', async () => {
    const bench = await createControlBench()
    const deps = { ...bench, deliveries: null, memory: createRedeliveryMemory() }
    expect(await redeliverLoop(deps, everyMs).pass(never)).toEqual({ kind: 'done' })
    expect(await cursorOf(bench)).toBeNull()
  })
})
