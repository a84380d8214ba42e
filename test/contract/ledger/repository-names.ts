import { expect, it } from 'vitest'
import { cause, contractInstallation, farMs, jobEvent, type MakeLedger, pool, topic } from './kit.ts'

const failure = {
  reason: 'no',
  concerns: 'repository',
  delayMs: farMs,
  failuresMax: 3,
  incident: null,
} as const
const barred = { ...failure, incident: 'runners-disabled' } as const

/** Names of repositories: told apart by no forge by their case, and changed by renames and transfers. */
export function repositoryNames(make: MakeLedger): void {
  topic('names of repositories', make, (bench) => {
    const claim = async () => {
      const runner = await bench().idleRunner()
      return (await bench().ledger.claim(runner, bench().handle(), farMs)).kind
    }
    const applyEvent = async (...given: Parameters<typeof jobEvent>) =>
      (await bench().ledger.applyJobEvent(jobEvent(...given), cause)).kind
    const whatWaits = async (jobId: number) => (await bench().ledger.queueFacts(jobId)) ?? null

    it('count as one under a cap of the repository, in whatever case', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerRepository: 1 } })], cause)
      await bench().queue(1, { repository: 'acme/app' })
      const other = await bench().queue(2, { repository: 'Acme/App' })
      await bench().claimed()
      expect(await claim()).toBe('nothing')
      expect((await bench().ledger.counts())[0]).toMatchObject({ dispatchable: 0, queued: 1 })
      expect(await whatWaits(other)).toMatchObject({ runningOfRepository: 1, capPerRepository: 1 })
    })

    it('count as one under a cap of the owner, in whatever case', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerOwner: 1 } })], cause)
      for (const [n, repository] of ['acme/one', 'ACME/two'].entries())
        await bench().queue(n + 1, { repository })
      await bench().claimed()
      expect(await claim()).toBe('nothing')
      expect((await bench().ledger.counts())[0]).toMatchObject({ dispatchable: 0 })
    })

    it('do not count as one where they differ in more than case', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerRepository: 1 } })], cause)
      for (const [n, repository] of ['acme/app', 'acme/app2'].entries())
        await bench().queue(n + 1, { repository })
      await bench().claimed()
      expect(await claim()).toBe('claimed')
    })

    it('are held, shown and freed in whatever case', async () => {
      await bench().queue(1, { repository: 'acme/app' })
      const other = await bench().queue(2, { repository: 'Acme/App' })
      const held = await bench().claimed()
      await bench().ledger.mintFailed(held.handle, barred)
      expect(await claim()).toBe('nothing')
      expect(await whatWaits(other)).toMatchObject({ hold: { key: 'acme/app' } })
      expect((await bench().ledger.counts())[0]).toMatchObject({ dispatchable: 0 })
      const lifted = {
        kind: 'runners-disabled',
        installation: contractInstallation,
        scope: 'repository',
      } as const
      expect(await bench().ledger.liftIncident({ ...lifted, key: 'ACME/APP' })).toBe('lifted')
      expect(await claim()).toBe('claimed')
    })

    it('share one turn of the queue in whatever case', async () => {
      const named = [
        [1, 'acme/app'],
        [2, 'Acme/App'],
        [3, 'ACME/APP'],
        [4, 'zeta/app'],
      ] as const
      const ids = new Map<number, number>()
      for (const [n, repository] of named) ids.set(await bench().queue(n, { repository }), n)
      const order: (number | undefined)[] = []
      for (let n = 0; n < 4; n += 1) order.push(ids.get((await bench().claimed()).jobId))
      expect(order).toEqual([1, 4, 2, 3])
      expect((await bench().ledger.jobs({ repository: 'acme/APP', limit: 10 })).rows.length).toBe(3)
    })

    it.each(['in_progress', 'queued'] as const)(
      'follow a repository to its new owner on a %s event',
      async (status) => {
        const jobId = await bench().queue(1, { repository: 'acme/app' })
        const moved = { repository: 'zeta/app', runnerName: status === 'queued' ? null : 'theirs' }
        expect(await applyEvent(1, status, moved)).toBe('changed')
        expect(await bench().job(jobId)).toMatchObject({ repository: 'zeta/app', owner: 'zeta' })
        expect(await applyEvent(1, status, moved)).toBe('nothing')
        const timeline = (await bench().file(jobId)).timeline.filter(({ kind }) => kind === 'moved')
        expect(timeline.map(({ facts }) => facts)).toEqual([{ from: 'acme/app', to: 'zeta/app' }])
      },
    )

    it('are not followed where only the case differs, or the job is over', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/app' })
      expect(await applyEvent(1, 'queued', { repository: 'Acme/App' })).toBe('nothing')
      await applyEvent(1, 'completed', {
        repository: 'acme/app',
        conclusion: 'success',
        runnerName: 'theirs',
      })
      expect(await applyEvent(1, 'queued', { repository: 'zeta/app' })).toBe('nothing')
      expect(await bench().job(jobId)).toMatchObject({ repository: 'acme/app' })
    })

    it('take caps with them: running jobs count for the new name', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerRepository: 1 } })], cause)
      await bench().queue(1, { repository: 'acme/app' })
      const { name } = await bench().running()
      await bench().queue(2, { repository: 'zeta/app' })
      expect(await applyEvent(1, 'in_progress', { repository: 'zeta/app', runnerName: name })).toBe('changed')
      expect(await claim()).toBe('nothing')
    })

    it('take holds and incidents with them, which a mint there ends', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/app' })
      await bench().ledger.mintFailed((await bench().claimed()).handle, barred)
      expect(await applyEvent(1, 'queued', { repository: 'zeta/app' })).toBe('changed')
      expect(await claim()).toBe('nothing')
      expect(await whatWaits(jobId)).toMatchObject({ hold: { key: 'zeta/app' } })
      expect(await bench().ledger.incidents(0)).toMatchObject([{ key: 'zeta/app' }])
      expect(await bench().queue(2, { repository: 'acme/app' })).toBeGreaterThan(0)
      expect(await claim()).toBe('claimed')
    })

    it('follow among many events that are applied together', async () => {
      for (const n of [1, 2, 3]) await bench().queue(n, { repository: 'acme/app' })
      const repository = 'zeta/app'
      const events = [1, 2, 3].map((n) =>
        jobEvent(n, 'in_progress', { repository, runnerName: `theirs-${n}` }),
      )
      const results = await Promise.all(events.map((each) => bench().ledger.applyJobEvent(each, cause)))
      expect(results.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'changed'])
      const { rows: jobs } = await bench().ledger.jobs({ limit: 10 })
      expect(jobs.map((job) => [job.repository, job.state])).toEqual(
        events.map(() => [repository, 'running']),
      )
    })
  })
}
