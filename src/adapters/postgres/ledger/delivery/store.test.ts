import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../../test/support/ledger.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(() => bench.empty())

const count = 100
const arrived = (guid: string, body = '{}') => {
  return { guid, installation: 'gh', event: 'workflow_job', subject: 'job 1', body }
}

describe('deliveries at the same time', () => {
  it('are each stored once, as they came and in the order in which they came', async () => {
    const ledger = await bench.open()
    await ledger.storeDelivery(arrived('before')) // from here on the installation is known
    const guids = ['before', ...Array.from({ length: count }, () => randomUUID())]
    const outcomes = await Promise.all(
      guids.slice(1).map((guid) => ledger.storeDelivery(arrived(guid, `body of ${guid} \\ "quoted" $1`))),
    )
    expect(outcomes).toEqual(Array(count).fill('stored'))
    const kept = await ledger.pendingDeliveries(guids.length)
    expect(kept.map(({ guid }) => guid)).toEqual(guids)
    expect(kept.slice(1).map(({ body }) => body)).toEqual(
      guids.slice(1).map((guid) => `body of ${guid} \\ "quoted" $1`),
    )
  })

  it('under one GUID are stored once, also in two processes', async () => {
    const ledgers = [await bench.open(), await bench.open()]
    const guids = Array.from({ length: count }, (_, n) => `guid-${n % 10}`)
    const outcomes = await Promise.all(
      guids.flatMap((guid) => ledgers.map((ledger) => ledger.storeDelivery(arrived(guid)))),
    )
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(10)
    const { rows } = await bench.run('select count(*)::int as kept from deliveries')
    expect(rows).toEqual([{ kept: 10 }])
  })

  it('take no other with them where one is refused', async () => {
    const ledger = await bench.open()
    const tooLong = 'x'.repeat(200)
    const guids = ['first', 'second', tooLong, 'third', 'fourth']
    const outcomes = await Promise.allSettled(guids.map((guid) => ledger.storeDelivery(arrived(guid))))
    expect(outcomes.map(({ status }) => status)).toEqual(
      guids.map((guid) => (guid === tooLong ? 'rejected' : 'fulfilled')),
    )
    expect((await ledger.pendingDeliveries(10)).map(({ guid }) => guid).toSorted()).toEqual(
      guids.filter((guid) => guid !== tooLong).toSorted(),
    )
  })

  it('notify the listener, and do not where all were stored before', async () => {
    const ledger = await bench.open()
    let rings = 0
    const woken = Promise.withResolvers<void>()
    ledger.onWake((wake) => {
      if (wake.kind !== 'deliveries') return
      rings += 1
      woken.resolve()
    })
    await ledger.storeDelivery(arrived('guid-1'))
    await woken.promise
    rings = 0
    await Promise.all(['guid-1', 'guid-1'].map((guid) => ledger.storeDelivery(arrived(guid))))
    const again = Promise.withResolvers<void>()
    ledger.onWake((wake) => wake.kind === 'deliveries' && again.resolve())
    await ledger.storeDelivery(arrived('guid-2'))
    await again.promise
    expect(rings).toBe(1)
  })
})
