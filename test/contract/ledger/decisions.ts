import { expect, it } from 'vitest'
import type { DecisionFilter, NewDecision } from '../../../src/ports/ledger.ts'
import { cause, farMs, type MakeLedger, pool, topic } from './kit.ts'

/** The list of decisions, by which people see what recovery did. */
export function decisions(make: MakeLedger): void {
  topic('the list of decisions', make, (bench) => {
    const none = { jobId: null, attemptId: null, runnerId: null }
    const decide = (over: Partial<NewDecision>) =>
      bench().ledger.recordDecision({ rule: 'stale-queued', ...none, facts: {}, actions: [], ...over })
    const ids = async (filter: Partial<DecisionFilter> = {}) =>
      (await bench().ledger.decisions({ withinMs: farMs, limit: 10, ...filter })).rows.map(({ id }) => id)

    it('has them newest first, whole, with the names of job, runner and pool', async () => {
      const jobId = await bench().queue(1)
      const runner = await bench().idleRunner()
      const first = await decide({
        jobId,
        facts: { forgeJob: 'gone' },
        actions: [{ kind: 'close-job', jobId }],
      })
      await bench().ledger.recordOutcome(first, 'closed')
      const second = await decide({ rule: 'silent-runner', runnerId: runner.id })
      expect(await bench().ledger.decisions({ withinMs: farMs, limit: 10 })).toMatchObject({
        rows: [
          { id: second, rule: 'silent-runner', runner: runner.name, pool: 'linux', repository: null },
          { id: first, jobId, repository: 'acme/app', pool: 'linux', runner: null, outcome: 'closed' },
        ],
        unreadable: [],
      })
    })

    it('gives those of one job, runner, rule or pool, and not the others', async () => {
      await bench().ledger.putPools([pool(), pool({ name: 'gpu', labels: ['gpu'] })], cause)
      const jobId = await bench().queue(1)
      const runner = await bench().idleRunner({ pool: 'gpu' })
      const ofJob = await decide({ jobId })
      const ofRunner = await decide({ rule: 'silent-runner', runnerId: runner.id })
      expect(await ids({ jobId })).toEqual([ofJob])
      expect(await ids({ runner: runner.name })).toEqual([ofRunner])
      expect(await ids({ rule: 'silent-runner' })).toEqual([ofRunner])
      expect(await ids({ pool: 'gpu' })).toEqual([ofRunner])
      expect(await ids({ pool: 'linux' })).toEqual([ofJob])
      expect(await ids({ pool: 'linux', rule: 'silent-runner' })).toEqual([])
      expect(await ids({ jobId: 4711 })).toEqual([])
    })

    it('knows a runner without a row by the name that its host gave', async () => {
      const id = await decide({
        rule: 'orphaned-stamped-pod',
        facts: { hosted: { name: 'linux-x', pool: 'linux' } },
      })
      expect(await ids({ runner: 'linux-x', pool: 'linux' })).toEqual([id])
    })

    it('gives no more than the limit, and nothing from before the time that was asked for', async () => {
      const [, second, third] = [await decide({}), await decide({}), await decide({})]
      expect(await ids({ limit: 2 })).toEqual([third, second])
      expect(await ids({ withinMs: -1_000 })).toEqual([])
    })
  })
}
