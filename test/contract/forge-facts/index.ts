import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isWhole } from '../../../src/domain/snapshot/index.ts'
import type { ForgeFactsOrder, ForgeFactsReader } from '../../../src/ports/forge-facts.ts'
import type { ForgeUnderTest } from '../forge/index.ts'
import { forgeBench, labels, never, repository } from '../forge/kit.ts'

export type FactsUnderTest = ForgeUnderTest & { readonly facts: ForgeFactsReader }

const nothing: ForgeFactsOrder = {
  runnerScopes: [],
  isCoveredWanted: false,
  repositories: [],
  since: 0,
  runs: [],
  jobs: [],
  callsMax: 200,
}

/** The contract of the ForgeFactsReader port; `hasLimit`: the forge limits the calls of a credential. */
export function forgeFactsContract(
  name: string,
  make: () => Promise<FactsUnderTest>,
  { hasLimit }: { readonly hasLimit: boolean },
): void {
  describe(`the ForgeFactsReader port: ${name}`, () => {
    let under: FactsUnderTest
    const bench = forgeBench(() => under)
    const read = (order: Partial<ForgeFactsOrder>, signal = never) =>
      under.facts.readForgeFacts({ ...nothing, ...order }, signal)
    beforeEach(async () => {
      under = await make()
    })
    afterEach(() => under[Symbol.asyncDispose]())

    it('lists the runners and jobs of everything that the credential covers, each whole', async () => {
      const id = await bench.submit()
      const runner = await bench.start('r-1')
      await runner.take()
      const { facts, requests, bytes } = await read({ isCoveredWanted: true, repositories: null })
      expect(Object.values(facts).flatMap(({ unread }) => unread)).toEqual([])
      const found = facts.runners.items.filter((each) => each.name === 'r-1')
      expect(found).toMatchObject([{ isOnline: true, isBusy: true }])
      expect(found[0]?.labels.toSorted()).toEqual(labels.toSorted())
      expect(facts.jobs.items.filter(({ jobId }) => jobId === id)).toMatchObject([
        {
          repository,
          name: 'build',
          status: 'in_progress',
          runnerName: 'r-1',
          labels,
          headSha: expect.stringMatching(/^[0-9a-f]{40}$/),
        },
      ])
      expect(requests).toBeGreaterThan(2)
      expect(bytes).toBeGreaterThan(0)
    })

    it('has the jobs of runs that ended, and of a named run and a named job whatever their age', async () => {
      const id = await bench.submit()
      const runner = await bench.start('r-1')
      await runner.take()
      await runner.finish(id, 'failure')
      const ended = { jobId: id, status: 'completed', conclusion: 'failure' }
      const since = await read({ repositories: [repository] })
      expect(since.facts.jobs).toMatchObject({ items: [ended], unread: [] })
      const runId = since.facts.jobs.items[0]?.runId ?? 0
      expect((await read({ runs: [{ repository, runId }] })).facts.jobs.items).toMatchObject([ended])
      const named = (await read({ jobs: [{ repository, jobId: id }] })).facts
      expect(named.jobs.items).toMatchObject([ended])
      expect(named.logs).toMatchObject({ items: [{ repository, jobId: id }], unread: [] })
    })

    it('says what is left of the credential’s calls, or that nothing limits them', async () => {
      const { budgets } = (await read({})).facts
      expect(isWhole(budgets)).toBe(true)
      expect(budgets.items.map(({ credential }) => credential)).toEqual(['settings'])
      expect(budgets.items.every(({ limit }) => (limit !== null) === hasLimit)).toBe(true)
    })

    it('leaves a place unread that the forge does not show, and reads the others', async () => {
      await bench.submit()
      const hidden = 'acme/nobody-made-this'
      const { facts } = await read({ repositories: [hidden, repository], runnerScopes: [hidden] })
      expect(facts.jobs.items).toHaveLength(1)
      expect(facts.jobs.unread).toMatchObject([{ what: `jobs of ${hidden}` }])
      expect(facts.runners.unread).toMatchObject([{ what: `runners of ${hidden}` }])
    })

    it('costs no more calls than the order allows, and says so', async () => {
      await bench.submit()
      const { facts, requests } = await read({ repositories: [repository], callsMax: 1 })
      expect(requests).toBe(1)
      expect(facts.jobs.unread).not.toEqual([])
    })

    it('throws where it is given up', async () => {
      const over = AbortSignal.abort(new Error('given up'))
      await expect(read({ repositories: [repository] }, over)).rejects.toThrow('given up')
    })
  })
}
