import { expect, it } from 'vitest'
import { attemptStages, cause, death, farMs, host, type MakeLedger, neverRegistered, topic } from './kit.ts'

/** A runner's life: enrolled, polling, fenced, dead. */
export function runners(make: MakeLedger): void {
  topic('runners', make, (bench) => {
    it('enrols a runner that is about to be started', async () => {
      const before = await bench().ledger.now()
      const given = { name: 'linux-1', pool: 'linux', host, identityHash: 'abc', bootDeadlineMs: farMs }
      const runner = await bench().ledger.enrol(given, cause)
      expect(runner).toMatchObject({
        name: 'linux-1',
        pool: 'linux',
        host,
        identityHash: 'abc',
        state: 'booting',
      })
      expect(runner.checkAt).toBeGreaterThanOrEqual(before + farMs)
      expect(await bench().ledger.findRunner('linux-1')).toEqual(runner)
    })

    it('gives the same row when the same name is enrolled again', async () => {
      const given = { name: 'linux-1', pool: 'linux', host, identityHash: 'abc', bootDeadlineMs: farMs }
      const first = await bench().ledger.enrol(given, cause)
      const again = await bench().ledger.enrol({ ...given, identityHash: 'other' }, cause)
      expect(again).toEqual(first)
      expect((await bench().ledger.runners(10)).rows).toHaveLength(1)
    })

    it('finds no runner under a name that was never enrolled', async () => {
      expect(await bench().ledger.findRunner('nobody')).toBeNull()
    })

    it('moves a booting runner to polling when it asks for work', async () => {
      const runner = await bench().bootingRunner()
      expect(await bench().ledger.polled(runner.id)).toBe('polling')
      expect(await bench().ledger.findRunner(runner.name)).toMatchObject({ state: 'polling' })
      expect((await bench().ledger.findRunner(runner.name))?.polledAt).not.toBeNull()
    })

    it('lets a runner poll again, also while it has an attempt', async () => {
      await bench().queue(1)
      const held = await bench().minted()
      expect(await bench().ledger.polled(held.runnerId)).toBe('polling')
      expect((await bench().runner(held.runnerId)).state).toBe('claimed')
    })

    it('notes the time of each poll, so that a runner that fell silent is found', async () => {
      const { ledger } = bench()
      const runner = await bench().idleRunner()
      const first = (await bench().runner(runner.id)).polledAt as number
      while ((await ledger.now()) <= first); // until the ledger's clock has moved on
      await ledger.polled(runner.id)
      expect((await bench().runner(runner.id)).polledAt).toBeGreaterThan(first)
    })

    it('records the heartbeat of waiting runners, and says which still poll', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const [idle, fenced] = [await bench().idleRunner(), await bench().idleRunner()]
      const busy = await bench().minted()
      await ledger.fence(fenced.id, 'drained', cause)
      const first = (await bench().runner(idle.id)).polledAt as number
      while ((await ledger.now()) <= first); // until the ledger's clock has moved on
      const asked = [idle.id, fenced.id, busy.runnerId, 1e9]
      expect(await ledger.waiting(asked)).toEqual(new Set([idle.id]))
      expect((await bench().runner(idle.id)).polledAt).toBeGreaterThan(first)
    })

    it('sends away a runner that is fenced, dead or unknown', async () => {
      const fenced = await bench().idleRunner()
      await bench().ledger.fence(fenced.id, 'drained', cause)
      expect(await bench().ledger.polled(fenced.id)).toBe('leave')
      const dead = await bench().idleRunner()
      await bench().ledger.sealDeath(dead.id, death(), 'killed', cause)
      expect(await bench().ledger.polled(dead.id)).toBe('leave')
      expect(await bench().ledger.claim(dead, bench().handle(), farMs)).toEqual({ kind: 'leave' })
      expect(await bench().ledger.polled(dead.id + 1000)).toBe('leave')
    })

    it('fences a runner without an attempt, once', async () => {
      const runner = await bench().idleRunner()
      expect(await bench().ledger.fence(runner.id, 'drained', cause)).toBe('fenced')
      expect(await bench().runner(runner.id)).toMatchObject({ state: 'fenced', reason: 'drained' })
      expect(await bench().ledger.fence(runner.id, 'again', cause)).toBe('fenced')
      expect(await bench().runner(runner.id)).toMatchObject({ state: 'fenced', reason: 'drained' })
    })

    it.each(attemptStages)('does not fence a runner whose attempt is %s', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      expect(await bench().ledger.fence(held.runnerId, 'drained', cause)).toBe('refused')
      expect((await bench().runner(held.runnerId)).fencedAt).toBeNull()
    })

    it('fences a runner whose delivered attempt was given up', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().ledger.fence(held.runnerId, 'used its configuration', cause)).toBe('fenced')
    })

    it('does not fence a runner that has ended, nor one that never was', async () => {
      const runner = await bench().idleRunner()
      await bench().ledger.sealDeath(runner.id, death(), 'killed', cause)
      expect(await bench().ledger.fence(runner.id, 'drained', cause)).toBe('refused')
      expect(await bench().ledger.fence(runner.id + 1000, 'drained', cause)).toBe('refused')
    })

    it('seals one death record a runner, and ends the runner with it (I5)', async () => {
      const runner = await bench().idleRunner()
      expect(await bench().ledger.sealDeath(runner.id, death(), 'killed', cause)).toBe('sealed')
      const dead = await bench().runner(runner.id)
      expect(dead).toMatchObject({ state: 'ended', reason: 'killed' })
      expect(dead.evidenceId).not.toBeNull()
      expect(dead.endedAt).not.toBeNull()
      expect(await bench().ledger.sealDeath(runner.id, death({ exitCode: 0 }), 'again', cause)).toBe(
        'already',
      )
      expect(await bench().runner(runner.id)).toEqual(dead)
    })

    it('seals one record when two see the death at the same time', async () => {
      const { id } = await bench().idleRunner()
      const results = await Promise.all(
        [1, 2].map(() => bench().ledger.sealDeath(id, death(), 'killed', cause)),
      )
      expect(results.sort()).toEqual(['already', 'sealed'])
    })

    it('calls a fenced runner that died removed', async () => {
      const runner = await bench().idleRunner()
      await bench().ledger.fence(runner.id, 'drained', cause)
      await bench().ledger.sealDeath(runner.id, death({ exitCode: 0, signal: null }), 'drained', cause)
      expect((await bench().runner(runner.id)).state).toBe('removed')
    })

    it('leaves the attempt of a dead runner open until the forge has been asked', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      expect((await bench().attempt(held)).state).toBe('running')
      expect((await bench().job(held.jobId)).state).toBe('running')
    })

    it('lists live runners with their jobs, and the newest ended ones up to the limit', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      const dead: number[] = []
      for (let n = 0; n < 3; n += 1) {
        const { id } = await bench().idleRunner()
        await bench().ledger.sealDeath(id, death(), 'killed', cause)
        dead.push(id)
      }
      const { rows: listed } = await bench().ledger.runners(2)
      expect(listed.find(({ id }) => id === held.runnerId)).toMatchObject({ jobId: held.jobId })
      expect(listed.map(({ id }) => id)).not.toContain(dead[0])
      expect(listed).toHaveLength(3)
    })
  })
}
