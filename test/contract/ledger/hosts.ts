import { expect, it } from 'vitest'
import { cause, death, farMs, host, type MakeLedger, topic } from './kit.ts'

const other = 'host-2'

/** Hosts of runners: their heartbeats, and what follows from their silence. */
export function hosts(make: MakeLedger): void {
  topic('hosts', make, (bench) => {
    it('knows a host from its first runner, and its kind from its first heartbeat', async () => {
      await bench().bootingRunner()
      expect(await bench().ledger.hosts()).toMatchObject([
        { id: host, kind: 'unknown', isLost: false, endedAt: null, liveRunners: 1 },
      ])
      await bench().ledger.heartbeat({ id: host, kind: 'local' })
      const [row] = await bench().ledger.hosts()
      expect(row).toMatchObject({ kind: 'local', liveRunners: 1 })
      expect(row?.heartbeatAt).toBeGreaterThanOrEqual(row?.firstSeenAt ?? Number.NaN)
    })

    it('says of a runner since when its host sends heartbeats without a pause', async () => {
      const runner = await bench().bootingRunner()
      const { firstSeenAt = 0 } = (await bench().ledger.hosts())[0] ?? {}
      await bench().ledger.heartbeat({ id: host, kind: 'local' })
      expect(await bench().ledger.subject({ kind: 'runner', id: runner.id })).toMatchObject({
        watchedSince: firstSeenAt,
      })
    })

    it('gives the runners of a lost host to a host with a heartbeat, and says since when', async () => {
      const runner = await bench().bootingRunner({ bootDeadlineMs: 0 })
      const ledger = await bench().impatient()
      await ledger.heartbeat({ id: other, kind: 'kubernetes' })
      expect(await ledger.due(10, other)).toMatchObject([
        { kind: 'runner', runner: { id: runner.id }, hostLostSince: expect.any(Number) },
      ])
      expect(await ledger.subject({ kind: 'runner', id: runner.id })).toHaveProperty('hostLostSince')
    })

    it('does not give the runners of a host with a heartbeat', async () => {
      const runner = await bench().bootingRunner({ bootDeadlineMs: 0 })
      await bench().ledger.heartbeat({ id: other, kind: 'local' })
      expect(await bench().ledger.due(10, other)).toEqual([])
      expect(await bench().ledger.subject({ kind: 'runner', id: runner.id })).not.toHaveProperty(
        'hostLostSince',
      )
    })

    it('does not give them to a host that never sent a heartbeat itself', async () => {
      await bench().bootingRunner({ bootDeadlineMs: 0 })
      const ledger = await bench().impatient()
      expect(await ledger.due(10, other)).toEqual([])
    })

    it('ends a lost host with its last runner, and takes it back on its next heartbeat', async () => {
      const runner = await bench().bootingRunner()
      const ledger = await bench().impatient()
      expect(await ledger.endLostHosts()).toEqual([])
      await ledger.sealDeath(runner.id, death(), 'host-lost', cause)
      expect(await ledger.endLostHosts()).toEqual([host])
      expect(await ledger.endLostHosts()).toEqual([])
      expect(await ledger.hosts()).toMatchObject([{ id: host, endedAt: expect.any(Number), liveRunners: 0 }])
      await ledger.heartbeat({ id: host, kind: 'local' })
      expect(await ledger.hosts()).toMatchObject([{ id: host, endedAt: null }])
    })

    it('finds the rows of a host that returns too late ended: its runners get the answer to leave', async () => {
      const runner = await bench().idleRunner({ bootDeadlineMs: farMs })
      await bench().ledger.sealDeath(runner.id, death(), 'host-lost', cause)
      expect(await bench().ledger.polled(runner.id)).toBe('leave')
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'leave' })
      expect(await bench().ledger.sealDeath(runner.id, death(), 'killed', cause)).toBe('already')
      expect(await bench().ledger.due(10, host)).toEqual([])
    })
  })
}
