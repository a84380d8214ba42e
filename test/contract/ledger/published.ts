import { expect, it } from 'vitest'
import { cause, farMs, jobEvent, type MakeLedger, neverRegistered, pool, topic } from './kit.ts'

/** A repository that is made public, or private again, while its jobs wait. The pool refuses public ones. */
export function published(make: MakeLedger): void {
  topic('a repository that is published or made private again', make, (bench) => {
    const message = { source: 'webhook' } as const
    const turn = (visibility: 'public' | 'private', by: typeof cause | typeof message = cause) =>
      bench().ledger.applyJobEvent(jobEvent(1, 'queued', { visibility }), by)
    const claimedBy = async (poolName = 'linux') => {
      const runner = await bench().idleRunner({ pool: poolName })
      const result = await bench().ledger.claim(runner, bench().handle(), farMs)
      return result.kind === 'claimed' ? result.claim.job.id : null
    }
    const routesOf = async (jobId: number) =>
      (await bench().file(jobId)).timeline.flatMap(({ kind, facts }) => (kind === 'routed' ? [facts] : []))

    it('takes a waiting job out of reach of the pool, and back when it is private again', async () => {
      const jobId = await bench().queue(1, { isFork: false })
      expect((await turn('public')).kind).toBe('changed')
      expect(await claimedBy()).toBeNull()
      expect((await turn('private')).kind).toBe('changed')
      expect(await routesOf(jobId)).toEqual([
        { from: 'linux', to: null },
        { from: null, to: 'linux' },
      ])
      expect(await claimedBy()).toBe(jobId)
    })

    it('takes a waiting job to a pool that takes public ones, where it stays when it is private again', async () => {
      await bench().ledger.putPools([pool(), pool({ name: 'open', publicRepositories: 'allow' })], cause)
      const jobId = await bench().queue(1, { isFork: false })
      await turn('public')
      expect(await claimedBy()).toBeNull()
      await turn('private')
      expect((await bench().job(jobId)).pool).toBe('open')
      expect(await claimedBy('open')).toBe(jobId)
    })

    it('does not move a waiting job of a pool that takes both', async () => {
      await bench().ledger.putPools([pool({ publicRepositories: 'allow' })], cause)
      const jobId = await bench().queue(1, { isFork: false })
      await turn('public')
      expect(await routesOf(jobId)).toEqual([])
      expect(await claimedBy()).toBe(jobId)
    })

    it('leaves a claimed job where it is, and keeps it away from the pool when it comes back', async () => {
      await bench().queue(1, { isFork: false })
      const held = await bench().delivered()
      await turn('public')
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'delivered', visibility: 'public' })
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'queued', pool: null })
      expect(await claimedBy()).toBeNull()
    })

    it('is not private again by a late message, which may be older than what is known, but by a read', async () => {
      const jobId = await bench().queue(1, { isFork: false })
      expect((await turn('public', message)).kind).toBe('changed')
      expect((await turn('private', message)).kind).toBe('nothing')
      expect(await bench().job(jobId)).toMatchObject({ visibility: 'public', pool: null })
      expect((await turn('private', { source: 'audit' })).kind).toBe('changed')
      expect(await bench().job(jobId)).toMatchObject({ visibility: 'private', pool: 'linux' })
    })

    it('keeps the word of a read also where a late message brings something else that is new', async () => {
      const jobId = await bench().queue(1, { visibility: 'public' })
      const late = jobEvent(1, 'queued', { visibility: 'private', isFork: false })
      expect((await bench().ledger.applyJobEvent(late, message)).kind).toBe('changed')
      expect(await bench().job(jobId)).toMatchObject({ visibility: 'public', isFork: false, pool: null })
    })
  })
}
