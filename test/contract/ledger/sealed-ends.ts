import { expect, it } from 'vitest'
import { classifyDeath, correctionRule, type DeathRecord } from '../../../src/domain/death/index.ts'
import { aDeathRecord, aJobAtEnd, anEnd, aPodEnd, aRunnerEnd } from '../../../src/domain/death/testing.ts'
import { cause, farMs, type MakeLedger, topic } from './kit.ts'

/** Ends in short: what many of them have in common is looked for in these, and people list them. */
export function sealedEnds(make: MakeLedger): void {
  topic('ends in short', make, (bench) => {
    const die = async (over: Partial<DeathRecord> = {}) => {
      const runner = await bench().idleRunner()
      await bench().ledger.sealDeath(runner.id, aDeathRecord({ class: 'crash', ...over }), 'gone', cause)
      return runner
    }
    const onNode = (node: string) =>
      aPodEnd({ place: { namespace: 'ci', pod: 'p', uid: `uid-${node}`, node } })
    const found = (over: object = {}) => bench().ledger.ends({ withinMs: farMs, limit: 10, ...over })
    const names = async (over: object = {}) => (await found(over)).map(({ runner }) => runner)

    it('say whose end it was, how, when and where', async () => {
      const containers = [
        aRunnerEnd({ name: 'poller', image: 'poller:1' }),
        aRunnerEnd({ image: 'runner:7' }),
      ]
      const runner = await die({
        confidence: 'likely',
        ending: anEnd({ pod: aPodEnd({ containers }) }),
        job: aJobAtEnd({ jobId: 12 }),
      })
      const [end, ...others] = await found()
      expect(others).toEqual([])
      expect(end).toEqual({
        runnerId: runner.id,
        runner: runner.name,
        pool: 'linux',
        class: 'crash',
        confidence: 'likely',
        at: 1_700_000_000_000,
        node: 'node-1',
        image: 'runner:7',
        repository: 'acme/web',
        jobId: 12,
        sealedAt: (await bench().runner(runner.id)).endedAt,
      })
    })

    it('were sealed wrongly only where a correction says so, also once the runner is archived', async () => {
      const [alive, ended, right] = [await die(), await die(), await die()]
      const correct = (runnerId: number, facts: Record<string, unknown>) =>
        bench().ledger.recordDecision({
          rule: correctionRule,
          jobId: null,
          attemptId: null,
          runnerId,
          facts,
          actions: [{ kind: 'correct' }],
        })
      await correct(alive.id, { found: 'alive' })
      await correct(ended.id, { found: 'ended', record: { class: 'evicted' } })
      await correct(ended.id, { found: 'alive' })
      const ids = [alive.id, ended.id, right.id]
      const expected = [
        [alive.id, { at: expect.any(Number), class: null }],
        [ended.id, { at: expect.any(Number), class: 'evicted' }],
      ]
      expect([...(await bench().ledger.corrections(ids))]).toEqual(expected)
      expect([...(await bench().ledger.corrections([right.id]))]).toEqual([])
      await bench().ledger.archive(0, 100)
      expect([...(await bench().ledger.corrections(ids))].sort(([a], [b]) => a - b)).toEqual(expected)
    })

    it('know nothing of where and whose job, where the record does not', async () => {
      const runner = await bench().idleRunner()
      await bench().ledger.sealDeath(runner.id, classifyDeath(null), 'vanished', cause)
      const [end] = await found()
      expect(end).toMatchObject({ class: 'vanished', node: null, image: null, repository: null, jobId: null })
      expect(end?.at).toBe(end?.sealedAt)
    })

    it('never lie after their sealing, whatever the clock of their host says', async () => {
      await die({ ending: anEnd({ endedAt: Date.UTC(2200, 0, 1) }) })
      const [end] = await found()
      expect(end?.at).toBe(end?.sealedAt)
    })

    it('take what no database holds as it can be kept', async () => {
      await die({ ending: anEnd({ pod: onNode('a') }), job: aJobAtEnd({ repository: 'acme/we\u0000b' }) })
      expect((await found())[0]?.repository).toMatch(/^acme\/we/)
    })

    it('come newest first, up to the limit, of the classes and the node that are asked for', async () => {
      const a = await die({ class: 'clean' })
      const b = await die({ ending: anEnd({ pod: onNode('m1') }) })
      const c = await die({ class: 'evicted', ending: anEnd({ pod: onNode('m1') }) })
      expect(await names()).toEqual([c.name, b.name, a.name])
      expect(await names({ limit: 2 })).toEqual([c.name, b.name])
      expect(await names({ classes: ['clean', 'crash'] })).toEqual([b.name, a.name])
      expect(await names({ node: 'm1' })).toEqual([c.name, b.name])
      expect(await names({ node: 'm1', classes: ['crash'] })).toEqual([b.name])
      expect(await names({ classes: [] })).toEqual([])
    })

    it('are not those that were sealed before', async () => {
      await die()
      const { ledger } = bench()
      const [{ sealedAt } = { sealedAt: 0 }] = await found()
      while ((await ledger.now()) <= sealedAt); // until the ledger's clock has moved on
      expect(await found({ withinMs: 0 })).toEqual([])
      expect(await ledger.endCounts({ withinMs: 0 })).toEqual([])
    })

    it('are counted by their classes, the most first', async () => {
      for (const name of ['clean', 'evicted', 'crash', 'clean', 'crash', 'clean'] as const)
        await die({ class: name, ending: anEnd({ pod: onNode(name === 'evicted' ? 'm2' : 'm1') }) })
      const counts = (over: object = {}) => bench().ledger.endCounts({ withinMs: farMs, ...over })
      expect(await counts()).toEqual([
        { class: 'clean', count: 3 },
        { class: 'crash', count: 2 },
        { class: 'evicted', count: 1 },
      ])
      expect(await counts({ node: 'm2' })).toEqual([{ class: 'evicted', count: 1 }])
      expect(await counts({ classes: ['crash'] })).toEqual([{ class: 'crash', count: 2 }])
    })

    it('stay when their runners are archived, and go when these are purged', async () => {
      await die()
      const before = await found()
      await bench().ledger.purge(0, 10)
      await bench().ledger.archive(0, 10)
      expect(await found()).toEqual(before)
      await bench().ledger.purge(0, 10)
      expect(await found()).toEqual([])
    })

    it('are one for each runner, however often its death is sealed', async () => {
      const runner = await die()
      await bench().ledger.sealDeath(runner.id, aDeathRecord({ class: 'evicted' }), 'again', cause)
      expect(await found()).toMatchObject([{ class: 'crash' }])
    })

    it('are not among the runners that live, which are listed with the repository of their job', async () => {
      await die()
      await bench().queue(1, { repository: 'acme/a' })
      const idle = await bench().idleRunner()
      const held = await bench().running()
      const { name } = await bench().runner(held.runnerId)
      expect(await bench().ledger.runnersAlive(10)).toEqual([
        { name, pool: 'linux', repository: 'acme/a' },
        { name: idle.name, pool: 'linux', repository: null },
      ])
      expect(await bench().ledger.runnersAlive(1)).toHaveLength(1)
    })
  })
}
