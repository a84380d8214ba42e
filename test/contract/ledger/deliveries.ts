import { expect, it } from 'vitest'
import { contractInstallation, farMs, type MakeLedger, topic } from './kit.ts'

/** Raw webhooks, kept before anything is done with them. */
export function deliveries(make: MakeLedger): void {
  topic('deliveries', make, (bench) => {
    const delivery = (guid: string, body = '{"a": 1}') => ({
      guid,
      installation: contractInstallation,
      event: 'workflow_job',
      body,
    })
    const pending = async () => (await bench().ledger.pendingDeliveries(10)).map(({ guid }) => guid)

    it('keeps a webhook as it came', async () => {
      const before = await bench().ledger.now()
      const body = '{"text": "ü \\u0000 é",  "spaces":   "kept"}\n'
      expect(await bench().ledger.storeDelivery(delivery('one', body))).toBe('stored')
      const [kept] = await bench().ledger.pendingDeliveries(10)
      expect(kept).toMatchObject({ ...delivery('one', body), tries: 0 })
      expect(kept?.receivedAt).toBeGreaterThanOrEqual(before)
    })

    it('keeps a webhook once per GUID, and the first one', async () => {
      await bench().ledger.storeDelivery(delivery('one', 'first'))
      expect(await bench().ledger.storeDelivery(delivery('one', 'second'))).toBe('duplicate')
      expect((await bench().ledger.pendingDeliveries(10)).map(({ body }) => body)).toEqual(['first'])
    })

    it('gives what waits, oldest first, up to the limit', async () => {
      for (const guid of ['one', 'two', 'three']) await bench().ledger.storeDelivery(delivery(guid))
      expect(await pending()).toEqual(['one', 'two', 'three'])
      expect((await bench().ledger.pendingDeliveries(2)).map(({ guid }) => guid)).toEqual(['one', 'two'])
    })

    it.each(['done', 'ignored', 'poison'] as const)('does not give again what is %s', async (kind) => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind, note: 'noted' })
      expect(await pending()).toEqual([])
      expect(await bench().ledger.storeDelivery(delivery('one'))).toBe('duplicate')
      expect(await pending()).toEqual([])
    })

    it('gives again what failed, once its time has come, and counts the tries', async () => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'no', retryInMs: 0 })
      expect(await bench().ledger.pendingDeliveries(10)).toMatchObject([{ guid: 'one', tries: 1 }])
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'no', retryInMs: 0 })
      expect(await bench().ledger.pendingDeliveries(10)).toMatchObject([{ guid: 'one', tries: 2 }])
    })

    it('does not give what failed before its time has come', async () => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'no', retryInMs: farMs })
      expect(await pending()).toEqual([])
    })

    it('does not bring back what was settled, when a second worker fails on it', async () => {
      await bench().ledger.storeDelivery(delivery('one'))
      await bench().ledger.settleDelivery('one', { kind: 'done', note: 'heard' })
      await bench().ledger.settleDelivery('one', { kind: 'failed', note: 'late', retryInMs: 0 })
      expect(await pending()).toEqual([])
    })

    it('does not complain about a GUID that it does not know', async () => {
      await bench().ledger.settleDelivery('nobody', { kind: 'done', note: '' })
      expect(await pending()).toEqual([])
    })

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
  })
}
