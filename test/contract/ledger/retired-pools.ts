import { expect, it } from 'vitest'
import { cause, death, farMs, host, type MakeLedger, neverRegistered, pool, topic } from './kit.ts'

/** A pool that is not there any more while runners of it live. */
export function retiredPools(make: MakeLedger): void {
  topic('a retired pool', make, (bench) => {
    const other = pool({ name: 'other' })
    const counts = async (name = 'linux') =>
      (await bench().ledger.counts()).find((count) => count.pool === name)

    it('is counted as long as it has live runners, and has nothing to give out', async () => {
      const idle = await bench().idleRunner()
      await bench().bootingRunner()
      await bench().queue(1)
      await bench().ledger.putPools([other], cause)
      expect(await counts()).toMatchObject({
        dispatchable: 0,
        queued: 0,
        runners: { booting: 1, polling: 1, claimed: 0 },
      })
      expect(await counts('other')).toMatchObject({ dispatchable: 1, queued: 1 })
      expect((await bench().ledger.pools()).map(({ name }) => name)).toEqual(['other'])
      await bench().ledger.sealDeath(idle.id, death(), 'gone', cause)
      expect(await counts()).toMatchObject({ runners: { booting: 1, polling: 0 } })
    })

    it('is not counted any more once its last runner ended', async () => {
      const idle = await bench().idleRunner()
      await bench().ledger.putPools([], cause)
      await bench().ledger.sealDeath(idle.id, death(), 'gone', cause)
      expect(await bench().ledger.counts()).toEqual([])
    })

    it('gives its runners no job, and lets them be fenced', async () => {
      const idle = await bench().idleRunner()
      await bench().queue(1)
      await bench().ledger.putPools([other], cause)
      expect(await bench().ledger.polled(idle.id)).toBe('polling')
      expect(await bench().ledger.claim(idle, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
      expect(await bench().ledger.fence(idle.id, 'its pool is gone', cause)).toBe('fenced')
    })

    const late = (name: string, of = 'linux') => ({
      name,
      pool: of,
      host,
      identityHash: null,
      bootDeadlineMs: farMs,
    })

    it('takes one runner that is there already and gets its row too late, and counts it', async () => {
      await bench().ledger.putPools([other], cause)
      expect(await bench().ledger.enrol(late('linux-late'), cause)).toMatchObject({ state: 'booting' })
      expect(await counts()).toMatchObject({ runners: { booting: 1 } })
    })

    it('takes none of many that are about to be started, and gives the rows of the others', async () => {
      const { ledger } = bench()
      await ledger.putPools([other], cause)
      const given = [late('linux-1'), late('other-1', 'other'), late('linux-2')]
      expect(await ledger.enrolAll(given, cause, null)).toMatchObject({ runners: [{ name: 'other-1' }] })
      expect((await ledger.runners(0)).rows.map(({ name }) => name)).toEqual(['other-1'])
      expect(await counts()).toBeUndefined()
    })

    it('returns the rows that were written before it was retired, and takes more once it is back', async () => {
      const { ledger } = bench()
      const first = await ledger.enrolAll([late('linux-1')], cause, null)
      await ledger.putPools([other], cause)
      expect(await ledger.enrolAll([late('linux-1'), late('linux-2')], cause, null)).toEqual(first)
      await ledger.putPools([pool()], cause)
      const later = await ledger.enrolAll([late('linux-2')], cause, null)
      expect(later).toMatchObject({ runners: [{ name: 'linux-2', state: 'booting' }] })
    })

    it('gets no new runner after it was retired, however many are enrolled at the same time', async () => {
      const { ledger } = bench()
      for (let round = 0; round < 10; round += 1) {
        await ledger.putPools([pool(), other], cause)
        const enrolled = [0, 1, 2, 3].map((n) => ledger.enrolAll([late(`linux-${round}-${n}`)], cause, null))
        await ledger.putPools([other], cause)
        const counted = (await counts())?.runners.booting ?? 0
        await Promise.all(enrolled)
        expect((await counts())?.runners.booting ?? 0).toBe(counted)
      }
    })

    it('lets a job that runs in it end there', async () => {
      await bench().queue(1)
      const held = await bench().registered()
      await bench().ledger.putPools([other], cause)
      expect(await bench().job(held.jobId)).toMatchObject({ pool: 'linux', state: 'registered' })
      expect(await counts()).toMatchObject({ runners: { claimed: 1 } })
    })

    it('does not get back a job that leaves its runner: another pool that serves it does (I6)', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.putPools([other], cause)
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().job(jobId)).toMatchObject({ pool: 'other', state: 'queued' })
      expect((await bench().file(jobId)).timeline.at(-1)).toMatchObject({
        kind: 'routed',
        facts: { from: 'linux', to: 'other' },
      })
      expect((await bench().claimed({ pool: 'other' })).jobId).toBe(jobId)
    })

    it('leaves a job without a pool that comes back and that no pool serves', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      await bench().ledger.putPools([], cause)
      const failure = { reason: 'no', concerns: 'job', delayMs: 0, failuresMax: 9, incident: null } as const
      await bench().ledger.mintFailed(held.handle, failure)
      expect(await bench().job(jobId)).toMatchObject({ pool: null, state: 'queued' })
      await bench().ledger.putPools([other], cause)
      expect(await bench().job(jobId)).toMatchObject({ pool: 'other' })
    })

    it('does not move a job that comes back into a pool that is there', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.putPools([pool(), other], cause)
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().job(jobId)).toMatchObject({ pool: 'linux', state: 'queued' })
      expect((await bench().file(jobId)).timeline.map(({ kind }) => kind)).not.toContain('routed')
    })
  })
}
