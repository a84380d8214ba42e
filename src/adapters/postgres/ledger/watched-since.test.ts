import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cause, host, pool } from '../../../../test/contract/ledger/samples.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'

describe('since when a host has heartbeats without a pause', () => {
  let bench: LedgerBench
  beforeAll(async () => {
    bench = await ledgerBench(2)
  })
  afterAll(() => bench?.[Symbol.asyncDispose]())

  it('is not known while it is away, and begins again when it is back', async () => {
    const ledger = await bench.open()
    await ledger.putPools([pool()], cause)
    const row = { name: 'linux-00000001', pool: 'linux', host, identityHash: 'hash', bootDeadlineMs: 0 }
    const { id } = await ledger.enrol(row, cause)
    const watchedSince = async () => {
      const subject = await ledger.subject({ kind: 'runner', id })
      return subject?.kind === 'runner' ? (subject.watchedSince ?? null) : 'no runner'
    }
    await bench.run(`update hosts set beating_since = now() - interval '1 hour'`)
    const longAgo = await watchedSince()
    expect(longAgo).toBeLessThan(await ledger.now())
    await ledger.heartbeat({ id: host, kind: 'local' })
    expect(await watchedSince()).toBe(longAgo)
    // We were away, and recovery looks before our first heartbeat.
    await bench.run(`update hosts set heartbeat_at = now() - interval '61 seconds'`)
    expect(await watchedSince()).toBeNull()
    const before = await ledger.now()
    await ledger.heartbeat({ id: host, kind: 'local' })
    expect(await watchedSince()).toBeGreaterThanOrEqual(before)
  })
})
