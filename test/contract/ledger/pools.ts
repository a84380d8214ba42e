import { expect, it } from 'vitest'
import { whyQueued } from '../../../src/domain/queue/index.ts'
import { cause, death, farMs, jobEvent, type MakeLedger, neverRegistered, pool, topic } from './kit.ts'

/** Pools, what waits in them, and why. */
export function pools(make: MakeLedger): void {
  topic('pools', make, (bench) => {
    const mac = pool({ name: 'mac', labels: ['self-hosted', 'mac'] })
    const failure = {
      reason: 'app removed',
      concerns: 'repository',
      delayMs: farMs,
      failuresMax: 9,
      incident: null,
    } as const
    const why = async (jobId: number) => {
      const facts = await bench().ledger.queueFacts(jobId)
      if (facts === null) throw new Error(`no facts about job ${jobId}`)
      return whyQueued(facts)
    }
    const counts = async (name = 'linux') =>
      (await bench().ledger.counts()).find((count) => count.pool === name)

    it('has the pools that it was given, and no others', async () => {
      const given = [mac, pool({ maxRunners: 3, priorities: [{ repository: '*', class: 'low' }] })]
      await bench().ledger.putPools(given, cause)
      const kept = [...(await bench().ledger.pools())].sort((a, b) => (a.name < b.name ? -1 : 1))
      expect(kept).toEqual([given[1], given[0]])
      await bench().ledger.putPools([mac], cause)
      expect(await bench().ledger.pools()).toEqual([mac])
    })

    it('routes a job to a pool that serves it only now', async () => {
      const jobId = await bench().queue(1, { labels: ['self-hosted', 'mac'] })
      expect((await bench().job(jobId)).pool).toBeNull()
      const urgent = { ...mac, priorities: [{ repository: '*', class: 'high' as const }] }
      await bench().ledger.putPools([pool(), urgent], cause)
      expect(await bench().job(jobId)).toMatchObject({ pool: 'mac', priority: 'high' })
      expect((await bench().claimed({ pool: 'mac' })).jobId).toBe(jobId)
    })

    it('routes a queued job again when its pool is gone or does not serve it any more', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.putPools([pool({ name: 'other' })], cause)
      expect((await bench().job(jobId)).pool).toBe('other')
      await bench().ledger.putPools([pool({ name: 'other', labels: ['arm'] })], cause)
      expect((await bench().job(jobId)).pool).toBeNull()
    })

    it('does not move a job that its pool still serves, nor one that is not queued', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      const queued = await bench().queue(2)
      await bench().ledger.putPools(
        [pool(), pool({ name: 'a-closer-fit', labels: ['self-hosted', 'linux'] })],
        cause,
      )
      expect((await bench().job(queued)).pool).toBe('linux')
      await bench().ledger.putPools([mac], cause)
      expect((await bench().job(held.jobId)).pool).toBe('linux')
    })

    it('changes nothing when the same pools are put again', async () => {
      const jobId = await bench().queue(1)
      const before = await bench().file(jobId)
      await bench().ledger.putPools([pool()], cause)
      expect(await bench().file(jobId)).toEqual(before)
    })

    it('counts queued jobs, jobs that could be claimed, and live runners by state', async () => {
      await bench().queue(1)
      await bench().queue(2)
      await bench().queue(3)
      await bench().idleRunner()
      await bench().bootingRunner()
      const dead = await bench().idleRunner()
      await bench().ledger.sealDeath(dead.id, death(), 'killed', cause)
      await bench().claimed()
      expect(await counts()).toMatchObject({
        dispatchable: 2,
        queued: 2,
        runners: { booting: 1, polling: 1, claimed: 1, busy: 0, fenced: 0 },
      })
    })

    it('says how long the oldest queued job has waited, by the forge, also where it backs off', async () => {
      expect(await counts()).toMatchObject({ oldestWaitMs: 0 })
      const now = await bench().ledger.now()
      await bench().queue(1, { queuedAt: now - 90_000 })
      await bench().queue(2, { queuedAt: now - 30_000 })
      const oldest = async () => Math.round(((await counts())?.oldestWaitMs ?? 0) / 10_000)
      expect(await oldest()).toBe(9)
      const fate = { kind: 'requeue', delayMs: farMs } as const
      await bench().ledger.endAttempt((await bench().delivered()).handle, { ...neverRegistered, fate }, cause)
      expect(await oldest()).toBe(9)
    })

    it('counts each pool by itself', async () => {
      await bench().ledger.putPools([pool(), mac], cause)
      await bench().queue(1, { labels: ['mac'] })
      await bench().idleRunner()
      expect(await counts('mac')).toMatchObject({ dispatchable: 1, queued: 1, runners: { polling: 0 } })
      expect(await counts('linux')).toMatchObject({ dispatchable: 0, queued: 0, runners: { polling: 1 } })
    })

    it('does not count as dispatchable a job that backs off, is quarantined or held', async () => {
      for (const n of [1, 2]) await bench().queue(n, { repository: 'acme/held' })
      await bench().ledger.mintFailed((await bench().claimed()).handle, failure)
      await bench().queue(3, { repository: 'acme/quarantined' })
      const quarantining = { ...failure, concerns: 'job', delayMs: 0, failuresMax: 1 } as const
      await bench().ledger.mintFailed((await bench().claimed()).handle, quarantining)
      await bench().queue(4, { repository: 'acme/slow' })
      const fate = { kind: 'requeue', delayMs: farMs } as const
      await bench().ledger.endAttempt((await bench().delivered()).handle, { ...neverRegistered, fate }, cause)
      expect(await counts()).toMatchObject({ dispatchable: 0, queued: 4 })
    })

    it('counts as dispatchable no more jobs than the caps leave room for', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerRepository: 2, capPerOwner: 3 } })], cause)
      for (const n of [1, 2, 3, 4]) await bench().queue(n, { repository: 'acme/a' })
      expect(await counts()).toMatchObject({ dispatchable: 2, queued: 4 })
      await bench().claimed()
      expect(await counts()).toMatchObject({ dispatchable: 1, queued: 3 })
      for (const n of [5, 6, 7]) await bench().queue(n, { repository: 'acme/b' })
      expect(await counts()).toMatchObject({ dispatchable: 2, queued: 6 })
      await bench().queue(8, { repository: 'zeta/a' })
      expect(await counts()).toMatchObject({ dispatchable: 3, queued: 7 })
    })

    it('explains a job that no pool serves', async () => {
      expect((await why(await bench().queue(1, { labels: ['self-hosted', 'arm'] }))).reason).toBe(
        'label-without-pool',
      )
    })

    it('gives a pool no job of a public repository unless it says so, and says that', async () => {
      const jobId = await bench().queue(1, { visibility: 'public', isFork: false })
      expect(await bench().job(jobId)).toMatchObject({ pool: null, visibility: 'public', isFork: false })
      expect(await why(jobId)).toMatchObject({
        reason: 'public-repository-refused',
        sentence: expect.stringContaining('publicRepositories: allow'),
      })
      await bench().ledger.putPools([pool({ publicRepositories: 'allow' })], cause)
      expect((await bench().claimed()).jobId).toBe(jobId)
    })

    it('gives a pool no job of which it is not known what the pool refuses, until it is', async () => {
      const open = pool({ publicRepositories: 'allow' })
      await bench().ledger.putPools([open], cause)
      const public_ = { visibility: 'public' } as const
      const own = await bench().queue(1, public_)
      const fork = await bench().queue(2, public_)
      expect((await why(own)).reason).toBe('origin-unknown')
      const runner = await bench().idleRunner()
      expect((await bench().ledger.claim(runner, bench().handle(), farMs)).kind).toBe('nothing')
      const applyQueued = async (forgeJobId: number, isFork: boolean) =>
        (await bench().ledger.applyJobEvent(jobEvent(forgeJobId, 'queued', { ...public_, isFork }), cause))
          .kind
      expect([await applyQueued(2, true), await applyQueued(1, false)]).toEqual(['changed', 'changed'])
      expect(await applyQueued(1, false)).toBe('nothing')
      expect((await bench().claimed({ runnerId: runner.id })).jobId).toBe(own)
      expect(await why(fork)).toMatchObject({
        reason: 'fork-refused',
        sentence: expect.stringContaining('forks: allow'),
      })
      await bench().ledger.putPools([{ ...open, forks: 'allow' }], cause)
      expect((await bench().claimed()).jobId).toBe(fork)
    })

    it('takes a waiting job from a pool when its repository is made public, and keeps what else is known', async () => {
      const jobId = await bench().queue(1, { isFork: false })
      expect((await bench().job(jobId)).pool).toBe('linux')
      await bench().ledger.applyJobEvent(jobEvent(1, 'queued', { visibility: 'public' }), cause)
      expect(await bench().job(jobId)).toMatchObject({ pool: null, visibility: 'public', isFork: false })
      const { timeline } = await bench().file(jobId)
      expect(timeline.map(({ kind }) => kind)).toEqual(['seen', 'routed'])
    })

    it('lists the jobs that no pool serves', async () => {
      await bench().queue(1)
      const jobId = await bench().queue(2, { visibility: 'public' })
      const { rows } = await bench().ledger.jobs({ states: ['queued'], pool: null, limit: 9 })
      expect(rows.map(({ id }) => id)).toEqual([jobId])
    })

    it('gives a pool that names its repositories no job of another, and says so, until it takes it', async () => {
      const ours = pool({ repositories: ['Acme/*'] })
      await bench().ledger.putPools([ours], cause)
      const strange = await bench().queue(1, { repository: 'evil/acme' })
      const known = await bench().queue(2, { repository: 'acme/web' })
      expect((await bench().job(strange)).pool).toBeNull()
      expect((await bench().claimed()).jobId).toBe(known)
      const runner = await bench().idleRunner()
      expect((await bench().ledger.claim(runner, bench().handle(), farMs)).kind).toBe('nothing')
      expect(await why(strange)).toMatchObject({
        reason: 'repository-not-taken',
        sentence: expect.stringContaining('evil/acme: linux'),
      })
      await bench().ledger.putPools([{ ...ours, repositories: ['acme/*', 'evil/acme'] }], cause)
      expect((await bench().claimed()).jobId).toBe(strange)
    })

    it('takes a queued job from a pool that does not take its repository any more, or under its new name', async () => {
      await bench().ledger.putPools([pool({ repositories: ['acme/*'] })], cause)
      const [first, second] = [await bench().queue(1), await bench().queue(2)]
      const moved = await bench().ledger.applyJobEvent(
        jobEvent(2, 'queued', { repository: 'evil/app' }),
        cause,
      )
      expect(moved.kind).toBe('changed')
      expect(await bench().job(second)).toMatchObject({ pool: null, repository: 'evil/app' })
      expect(await bench().job(first)).toMatchObject({ pool: 'linux' })
      await bench().ledger.putPools([pool({ repositories: [] })], cause)
      expect(await bench().job(first)).toMatchObject({ pool: null })
    })

    it('keeps a job whose labels are ours although its repository is not taken: somebody waits for it', async () => {
      await bench().ledger.putPools([pool({ labels: ['big'], repositories: ['acme/*'] })], cause)
      expect((await why(await bench().queue(1, { repository: 'evil/app', labels: ['big'] }))).reason).toBe(
        'repository-not-taken',
      )
    })

    it('explains a job whose pool was taken away', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.putPools([mac], cause)
      expect((await why(jobId)).reason).toBe('label-without-pool')
    })

    it('explains a job that stands behind others, most of one repository first', async () => {
      await bench().queue(1, { repository: 'acme/b' })
      for (const n of [2, 3]) await bench().queue(n, { repository: 'acme/a' })
      for (const n of [4, 5]) await bench().queue(n, { repository: 'acme/c' })
      const last = await bench().queue(6, { repository: 'acme/c' })
      const facts = await bench().ledger.queueFacts(last)
      expect(facts?.ahead).toEqual([
        { repository: 'acme/a', jobs: 2 },
        { repository: 'acme/c', jobs: 2 },
        { repository: 'acme/b', jobs: 1 },
      ])
      expect((await why(last)).behind).toBe(5)
    })

    it('does not name jobs that stand ahead but cannot be given out', async () => {
      await bench().queue(1, { repository: 'acme/held' })
      await bench().queue(2, { repository: 'acme/held' })
      await bench().ledger.mintFailed((await bench().claimed()).handle, failure)
      const jobId = await bench().queue(3, { repository: 'acme/free' })
      expect((await bench().ledger.queueFacts(jobId))?.ahead).toEqual([])
    })

    it('explains a job whose repository is held', async () => {
      await bench().queue(1)
      const second = await bench().queue(2)
      await bench().ledger.mintFailed((await bench().claimed()).handle, failure)
      const facts = await bench().ledger.queueFacts(second)
      expect(facts?.hold).toMatchObject({ key: 'acme/app', reason: 'app removed' })
      expect((await why(second)).reason).toBe('repository-held')
    })

    it('explains a job whose account is held', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      const second = await bench().queue(2, { repository: 'acme/b' })
      await bench().ledger.mintFailed((await bench().claimed()).handle, { ...failure, concerns: 'account' })
      expect((await bench().ledger.queueFacts(second))?.hold).toMatchObject({ key: 'acme' })
    })

    it('explains a job whose repository or owner is at its cap', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerRepository: 1, capPerOwner: 2 } })], cause)
      await bench().queue(1, { repository: 'acme/a' })
      const second = await bench().queue(2, { repository: 'acme/a' })
      await bench().claimed()
      expect(await why(second)).toMatchObject({ reason: 'repository-cap' })
      expect(await bench().ledger.queueFacts(second)).toMatchObject({
        runningOfRepository: 1,
        runningOfOwner: 1,
        capPerRepository: 1,
        capPerOwner: 2,
      })
      await bench().queue(3, { repository: 'acme/b' })
      const fourth = await bench().queue(4, { repository: 'acme/c' })
      await bench().claimed()
      expect((await why(fourth)).reason).toBe('owner-cap')
    })

    it('explains a job that is next, by the runners there are', async () => {
      await bench().ledger.putPools([pool({ maxRunners: 1 })], cause)
      const jobId = await bench().queue(1)
      expect((await why(jobId)).reason).toBe('runner-starting')
      const runner = await bench().bootingRunner()
      expect((await why(jobId)).reason).toBe('no-capacity')
      await bench().ledger.polled(runner.id)
      expect((await why(jobId)).reason).toBe('next')
      expect((await bench().ledger.queueFacts(jobId))?.runners).toEqual({ live: 1, idle: 1, max: 1 })
      await bench().claimed({ runnerId: runner.id })
      expect((await why(jobId)).reason).toBe('not-queued')
    })

    it('knows nothing about a job that it does not have', async () => {
      expect(await bench().ledger.queueFacts(4711)).toBeNull()
    })
  })
}
