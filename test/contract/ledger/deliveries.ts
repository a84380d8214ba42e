import { expect, it } from 'vitest'
import type { DeliveryState } from '../../../src/ports/ledger.ts'
import { contractInstallation, farMs, type MakeLedger, topic } from './kit.ts'

const received = { receivedAt: expect.any(Number) }

/** Raw webhooks, kept before anything is done with them. */
export function deliveries(make: MakeLedger): void {
  topic('deliveries', make, (bench) => {
    const delivery = (guid: string, body = '{"a": 1}', subject: string | null = null) => ({
      guid,
      installation: contractInstallation,
      event: 'workflow_job',
      subject,
      body,
    })
    const store = (guid: string, subject: string | null = null, installation = contractInstallation) =>
      bench().ledger.storeDelivery({ ...delivery(guid, '{}', subject), installation })
    const later = { kind: 'failed', note: 'no', retryInMs: farMs } as const
    const pending = async () => (await bench().ledger.pendingDeliveries(10)).map(({ guid }) => guid)

    it('keeps a webhook as it came', async () => {
      const before = await bench().ledger.now()
      const body = '{"text": "ü \\u0000 é",  "spaces":   "kept"}\n'
      const given = delivery('one', body, 'job 1')
      expect(await bench().ledger.storeDelivery(given)).toBe('stored')
      const [kept] = await bench().ledger.pendingDeliveries(10)
      expect(kept).toMatchObject({ ...given, tries: 0 })
      expect(kept?.receivedAt).toBeGreaterThanOrEqual(before)
    })

    it('keeps a webhook once per GUID, and the first one', async () => {
      await bench().ledger.storeDelivery(delivery('one', 'first'))
      expect(await bench().ledger.storeDelivery(delivery('one', 'second'))).toBe('duplicate')
      expect((await bench().ledger.pendingDeliveries(10)).map(({ body }) => body)).toEqual(['first'])
    })

    it('lists pending deliveries, oldest first, up to the limit', async () => {
      for (const guid of ['one', 'two', 'three']) await bench().ledger.storeDelivery(delivery(guid))
      expect(await pending()).toEqual(['one', 'two', 'three'])
      expect((await bench().ledger.pendingDeliveries(2)).map(({ guid }) => guid)).toEqual(['one', 'two'])
    })

    it.each(['done', 'ignored', 'poison'] as const)(
      'does not list again a delivery that is %s',
      async (kind) => {
        await bench().ledger.storeDelivery(delivery('one'))
        await bench().ledger.settleDelivery('one', { kind, note: 'noted' })
        expect(await pending()).toEqual([])
        expect(await bench().ledger.storeDelivery(delivery('one'))).toBe('duplicate')
        expect(await pending()).toEqual([])
      },
    )

    it('lists a failed delivery again once its retry is due, and counts the tries', async () => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'no', retryInMs: 0 })
      expect(await bench().ledger.pendingDeliveries(10)).toMatchObject([{ guid: 'one', tries: 1 }])
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'no', retryInMs: 0 })
      expect(await bench().ledger.pendingDeliveries(10)).toMatchObject([{ guid: 'one', tries: 2 }])
    })

    it('does not list a failed delivery before its retry is due', async () => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'no', retryInMs: farMs })
      expect(await pending()).toEqual([])
    })

    it('does not reopen a settled delivery when a second worker fails on it', async () => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind: 'done', note: 'applied' })
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'late', retryInMs: 0 })
      expect(await pending()).toEqual([])
    })

    it('does not complain about a GUID that it does not know', async () => {
      await bench().ledger.settleDelivery('nobody', { kind: 'done', note: '' })
      expect(await pending()).toEqual([])
    })

    it('holds back later deliveries of the same subject until the retry of the failed one', async () => {
      for (const guid of ['one', 'two', 'three']) await store(guid, 'job 1')
      await bench().ledger.settleDelivery('two', later)
      expect(await pending()).toEqual(['one'])
      await bench().ledger.settleDelivery('two', { kind: 'poison', note: 'no' })
      expect(await pending()).toEqual(['one', 'three'])
    })

    it('keeps nothing back of another subject, another installation or without one', async () => {
      await store('one', 'job 1')
      await store('other subject', 'job 2')
      await store('other installation', 'job 1', 'elsewhere')
      await store('none')
      await store('also none')
      await bench().ledger.settleDelivery('one', later)
      await bench().ledger.settleDelivery('none', later)
      expect(await pending()).toEqual(['other subject', 'other installation', 'also none'])
    })

    it('gives those of one subject in the order of their arrival once they are due', async () => {
      for (const guid of ['b', 'a', 'c']) await store(guid, 'job 1')
      await bench().ledger.settleDelivery('b', { kind: 'failed', note: 'no', retryInMs: 0 })
      expect(await pending()).toEqual(['b', 'a', 'c'])
    })

    it('lists deliveries newest first with what became of them, without their bodies', async () => {
      for (const guid of ['one', 'two', 'three']) await store(guid, 'job 1')
      await bench().ledger.settleDelivery('one', { kind: 'poison', note: 'no JSON' })
      await bench().ledger.settleDelivery('two', later)
      const list = await bench().ledger.deliveries({ limit: 10 })
      const { body: _, ...expected } = delivery('one', '', 'job 1')
      expect(list).toEqual([
        { ...expected, guid: 'three', state: 'pending', note: null, settledAt: null, tries: 0, ...received },
        { ...expected, guid: 'two', state: 'pending', note: 'no', settledAt: null, tries: 1, ...received },
        {
          ...expected,
          state: 'poison',
          note: 'no JSON',
          settledAt: expect.any(Number),
          tries: 1,
          ...received,
        },
      ])
    })

    it('lists deliveries of some states only, and up to the limit', async () => {
      for (const guid of ['one', 'two', 'three', 'four']) await store(guid)
      await bench().ledger.settleDelivery('one', { kind: 'poison', note: '' })
      await bench().ledger.settleDelivery('three', { kind: 'poison', note: '' })
      await bench().ledger.settleDelivery('four', { kind: 'ignored', note: '' })
      const list = async (states: readonly DeliveryState[], limit = 10) =>
        (await bench().ledger.deliveries({ states, limit })).map(({ guid }) => guid)
      expect(await list(['poison'])).toEqual(['three', 'one'])
      expect(await list(['poison', 'ignored'], 2)).toEqual(['four', 'three'])
      expect(await list(['poison', 'poison'], 1)).toEqual(['three'])
      expect(await list(['done'])).toEqual([])
      expect(await list([])).toEqual([])
    })

    it('knows which GUIDs were stored, whatever became of them', async () => {
      for (const guid of ['one', 'two']) await store(guid)
      await bench().ledger.settleDelivery('one', { kind: 'ignored', note: '' })
      expect(await bench().ledger.knownDeliveries(['two', 'never', 'one'])).toEqual(new Set(['one', 'two']))
      expect(await bench().ledger.knownDeliveries([])).toEqual(new Set())
    })

    it.each(['done', 'ignored', 'poison'] as const)(
      'accepts a replay of a delivery that was %s',
      async (kind) => {
        await store('one', 'job 1')
        await bench().ledger.settleDelivery('one', { kind, note: 'noted' })
        expect(await bench().ledger.replayDelivery('one')).toBe('replayed')
        expect(await bench().ledger.pendingDeliveries(10)).toMatchObject([
          { guid: 'one', body: '{}', tries: 0 },
        ])
        const [row] = await bench().ledger.deliveries({ limit: 1 })
        expect(row).toMatchObject({ state: 'pending', note: 'noted', settledAt: null })
      },
    )

    it('does not replay a pending delivery, nor an unknown one', async () => {
      await store('one')
      await bench().ledger.settleDelivery('one', later)
      expect(await bench().ledger.replayDelivery('one')).toBe('pending')
      expect(await pending()).toEqual([])
      expect(await bench().ledger.replayDelivery('nobody')).toBe('unknown')
    })

    it('purges poison deliveries with history, and not before', async () => {
      await store('one')
      await bench().ledger.settleDelivery('one', { kind: 'poison', note: '' })
      await bench().ledger.archive(0, 10)
      await bench().ledger.purge(farMs, 10)
      expect((await bench().ledger.knownDeliveries(['one'])).size).toBe(1)
      await bench().ledger.purge(0, 10)
      expect((await bench().ledger.knownDeliveries(['one'])).size).toBe(0)
    })

    it.each(['done', 'ignored', 'pending'] as const)(
      'still knows what is %s when jobs of the same age are archived and purged',
      async (kind) => {
        await store('one')
        if (kind !== 'pending') await bench().ledger.settleDelivery('one', { kind, note: '' })
        await bench().ledger.archive(0, 10)
        await bench().ledger.purge(0, 10)
        expect((await bench().ledger.knownDeliveries(['one'])).size).toBe(1)
      },
    )

    it('keeps up to where something was read, and moves it forwards only', async () => {
      const { ledger } = bench()
      expect(await ledger.cursor('audit')).toBeNull()
      await ledger.moveCursor('audit', 2_000)
      await ledger.moveCursor('audit', 1_000)
      expect(await ledger.cursor('audit')).toBe(2_000)
      await ledger.moveCursor('audit', 3_000)
      expect(await ledger.cursor('audit')).toBe(3_000)
      expect(await ledger.cursor('another')).toBeNull()
    })

    it('gives slots one after the other, and none that is further ahead than is allowed', async () => {
      const { ledger } = bench()
      const take = (name = 'line') => ledger.takeTurn(name, 40_000, 100_000)
      const takenAtOnce = await Promise.all([take(), take(), take()])
      expect(takenAtOnce.filter((inMs) => inMs === 0)).toHaveLength(2)
      const refused = Math.max(...takenAtOnce)
      expect(refused).toBeGreaterThan(10_000)
      // The refused one may have begun a little before the first, whose slot is counted from its own beginning.
      expect(refused).toBeLessThan(21_000)
      expect(await take('another line')).toBe(0)
      expect(await ledger.takeTurn('third line', 40_000, 30_000)).toBeGreaterThan(0)
      expect(await ledger.cursor('third line')).toBeNull()
    })

    it('moves many of them at once, each forwards only, and finds those whose names begin alike', async () => {
      const { ledger } = bench()
      await ledger.moveCursor('audit a/100%', 5_000)
      await ledger.moveCursor('other a/b', 1_000)
      await ledger.moveCursors(['audit a/c', 'audit a/100%', 'audit a/c'], 2_000)
      await ledger.moveCursors([], 9_000)
      const found = await ledger.cursors('audit ')
      expect([...found].sort()).toEqual([
        ['audit a/100%', 5_000],
        ['audit a/c', 2_000],
      ])
      expect(await ledger.cursors('audit%')).toEqual(new Map())
    })
  })
}
