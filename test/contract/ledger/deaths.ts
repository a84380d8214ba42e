import { expect, it } from 'vitest'
import { aPodEnd } from '../../../src/domain/death/testing.ts'
import { cause, completed, death, farMs, type MakeLedger, neverRegistered, topic } from './kit.ts'

/** Death records after their runners have gone: in order, as long as jobs are kept, and no longer. */
export function deaths(make: MakeLedger): void {
  topic('deaths', make, (bench) => {
    const die = async (over: Parameters<typeof death>[0] = {}) => {
      const runner = await bench().idleRunner()
      await bench().ledger.sealDeath(runner.id, death(over), 'killed', cause)
      return runner
    }
    const after = async (id: number, limit = 10) => await bench().ledger.deathsAfter(id, limit)
    const names = async (id = 0, limit = 10) => (await after(id, limit)).map(({ runner }) => runner)

    it('are given in the order of their numbers, after one and up to the limit', async () => {
      const [a, b, c] = [await die(), await die(), await die()]
      expect(await names()).toEqual([a.name, b.name, c.name])
      expect(await names(0, 2)).toEqual([a.name, b.name])
      const [first] = await after(0, 1)
      expect(await names(first?.id)).toEqual([b.name, c.name])
      const [last] = (await after(0)).slice(-1)
      expect(await after(last?.id as number)).toEqual([])
    })

    it('say whose they are and when they were sealed', async () => {
      const runner = await die({ tail: 'last words' })
      const { id, name, pool, host } = runner
      const [found] = await after(0)
      expect(found).toMatchObject({ runnerId: id, runner: name, pool, host })
      expect(found?.record).toMatchObject({ class: 'sigkill-unknown', ending: { tail: 'last words' } })
      expect(found?.sealedAt).toBe((await bench().runner(id)).endedAt)
    })

    it('are not proofs of other kinds', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await after(0)).toEqual([])
    })

    it('are the same after their runners were archived, among those that were not', async () => {
      for (const tail of ['a', 'b']) await die({ tail })
      const before = await after(0)
      expect(await bench().ledger.archive(0, 1)).toBe(1)
      expect(await after(0)).toEqual(before)
      expect(await bench().ledger.archive(0, 10)).toBe(1)
      expect(await after(0)).toEqual(before)
      expect(await after(before[0]?.id as number, 1)).toEqual(before.slice(1))
    })

    it('of a runner that never had a job stay when its row goes, with all that was its own', async () => {
      const runner = await die({ tail: 'last words' })
      const decision = {
        rule: 'r',
        jobId: null,
        attemptId: null,
        runnerId: runner.id,
        facts: {},
        actions: [],
      }
      await bench().ledger.recordDecision(decision)
      const before = await bench().ledger.runnerFile(runner.name)
      expect(before?.timeline).not.toEqual([])
      expect(before?.decisions).toHaveLength(1)
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.findRunner(runner.name)).toBeNull()
      expect(await bench().ledger.runnerFile(runner.name)).toEqual(before)
      expect(await bench().ledger.sealDeath(runner.id, death(), 'gone', cause)).toBe('already')
    })

    it('lead from a pod to its runner also from the archive', async () => {
      const place = { namespace: 'ci', pod: 'x', uid: 'uid-1', node: null }
      const runner = await die({ pod: aPodEnd({ place }) })
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.runnerOfPod('uid-1')).toBe(runner.name)
      expect(await bench().ledger.runnerOfPod('uid-2')).toBeNull()
    })

    it('of runners that ended lately are not archived, nor purged', async () => {
      const runner = await die()
      expect(await bench().ledger.archive(farMs, 10)).toBe(0)
      expect((await bench().ledger.findRunner(runner.name))?.state).toBe('ended')
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.purge(farMs, 10)).toBe(0)
      expect(await names()).toEqual([runner.name])
    })

    it('are purged at their time, those that ended first, up to the limit', async () => {
      const runners = [await die(), await die(), await die()]
      expect(await bench().ledger.purge(0, 10)).toBe(0) // not before they are archived
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.purge(0, 2)).toBe(2)
      expect(await names()).toEqual([runners[2]?.name])
      expect(await bench().ledger.runnerFile(runners[0]?.name as string)).toBeNull()
      expect(await bench().ledger.purge(0, 2)).toBe(1)
      expect(await after(0)).toEqual([])
    })

    it('stay in the file of their job, from its row to the archive', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      await bench().ledger.applyJobEvent(completed(await bench().job(held.jobId), held.name), cause)
      const before = await bench().file(held.jobId)
      expect(before.evidence.map(({ kind }) => kind)).toContain('runner-death')
      await bench().ledger.archive(0, 10)
      expect((await bench().ledger.runners(10)).rows).toEqual([])
      expect(await bench().file(held.jobId)).toEqual({ ...before, archived: true })
    })

    it('of a runner whose job went on elsewhere go with that job', async () => {
      await bench().queue(1)
      const lost = await bench().delivered()
      await bench().ledger.sealDeath(lost.runnerId, death(), 'killed', cause)
      await bench().ledger.endAttempt(lost.handle, neverRegistered, cause)
      const held = await bench().running()
      await bench().ledger.applyJobEvent(completed(await bench().job(held.jobId), held.name), cause)
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      await bench().ledger.archive(0, 10)
      expect(held.jobId).toBe(lost.jobId)
      const before = await bench().file(held.jobId)
      expect(before.evidence.filter(({ kind }) => kind === 'runner-death')).toHaveLength(2)
      expect(await bench().ledger.purge(0, 10)).toBe(2)
      expect(await after(0)).toEqual([])
    })

    it('are counted off by positions that only move forwards', async () => {
      const { ledger } = bench()
      expect(await ledger.position('sink')).toBe(0)
      await ledger.movePosition('sink', 7)
      await ledger.movePosition('sink', 5)
      await ledger.movePosition('other', 3)
      expect(await ledger.position('sink')).toBe(7)
      expect(await ledger.position('other')).toBe(3)
    })
  })
}
