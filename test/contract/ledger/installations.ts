import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ports/ledger.ts'
import { type Bench, cause, contractInstallation, death, host, type MakeLedger, topic } from './kit.ts'

const other = 'another'
const operator = { source: 'operator' } as const

async function claimOn(ledger: Ledger, bench: Bench) {
  return ledger.claim(await bench.idleRunner(), bench.handle(), 60_000)
}

/** Rows of a forge installation that is not served any more, and of the one that is. */
export function installations(make: MakeLedger): void {
  topic('installations', make, (bench) => {
    it('gives out no job of an installation that is not served, however long it waits', async () => {
      await bench().queue(1)
      const mine = await bench().queue(2, { installation: other })
      const ledger = await bench().serving(other)
      expect(await claimOn(ledger, bench())).toMatchObject({ kind: 'claimed', claim: { job: { id: mine } } })
      expect(await claimOn(ledger, bench())).toEqual({ kind: 'nothing' })
    })

    it('gives several runners at once only jobs of the served installation', async () => {
      await bench().queue(1)
      await bench().queue(2, { installation: other })
      await bench().queue(3)
      const ledger = await bench().serving(other)
      const runners = [await bench().idleRunner(), await bench().idleRunner(), await bench().idleRunner()]
      const claims = await Promise.all(
        runners.map((runner) => ledger.claim(runner, bench().handle(), 60_000)),
      )
      expect(claims.filter(({ kind }) => kind === 'claimed')).toMatchObject([
        { claim: { job: { installation: other } } },
      ])
    })

    it('counts no job as work that is not served', async () => {
      await bench().queue(1)
      await bench().queue(2, { installation: other })
      const ledger = await bench().serving(other)
      expect(await ledger.counts()).toMatchObject([{ pool: 'linux', dispatchable: 1, queued: 1 }])
      const facts = await ledger.queueFacts(2)
      expect(facts?.ahead).toEqual([])
    })

    it('works on no webhook of an installation that is not served', async () => {
      const body = { event: 'workflow_job', subject: null, body: '{}' }
      await bench().ledger.storeDelivery({ guid: 'a', installation: contractInstallation, ...body })
      await bench().ledger.storeDelivery({ guid: 'b', installation: other, ...body })
      const ledger = await bench().serving(other)
      expect((await ledger.pendingDeliveries(10)).map(({ guid }) => guid)).toEqual(['b'])
    })

    it('gives recovery no job of it, and of its attempts only claims that led to no delivery', async () => {
      await bench().queue(1)
      const delivered = await bench().delivered()
      await bench().queue(2)
      const claimed = await bench().claimed({ deadlineMs: 0 })
      const waits = await bench().queue(3)
      const { id } = await bench().attempt(delivered)
      await bench().ledger.postpone({ kind: 'attempt', id }, -1)
      await bench().ledger.postpone({ kind: 'job', id: waits }, -1)
      const before = await bench().ledger.due(10, host)
      expect(before.map(({ kind }) => kind).toSorted()).toEqual(['attempt', 'attempt', 'job'])
      const ledger = await bench().serving(other)
      expect(await ledger.due(10, host)).toMatchObject([
        { kind: 'attempt', attempt: { handle: claimed.handle }, isForeign: true },
      ])
      expect(await ledger.subject({ kind: 'attempt', id })).toMatchObject({ isForeign: true })
    })

    it('does not call the attempts of the served one foreign', async () => {
      await bench().queue(1)
      await bench().claimed({ deadlineMs: 0 })
      const ledger = await bench().serving(contractInstallation)
      const [subject] = await ledger.due(10, host)
      expect(subject).toMatchObject({ kind: 'attempt' })
      expect(subject).not.toHaveProperty('isForeign')
    })

    it('counts the open jobs, attempts, runners, deliveries and incidents of each', async () => {
      await bench().queue(1)
      await bench().delivered()
      await bench().queue(2)
      const incident = { kind: 'credentials-refused', scope: 'installation', key: other } as const
      await bench().ledger.raiseIncident({ ...incident, installation: other, reason: 'no' }, 0)
      expect(await bench().ledger.installations()).toEqual([
        {
          name: other,
          openJobs: 0,
          openAttempts: 0,
          liveRunners: 0,
          pendingDeliveries: 0,
          openIncidents: 1,
        },
        {
          name: contractInstallation,
          openJobs: 2,
          openAttempts: 1,
          liveRunners: 1,
          pendingDeliveries: 0,
          openIncidents: 0,
        },
      ])
      expect(await bench().ledger.openJobIds(contractInstallation, 1)).toEqual([1])
      expect(await bench().ledger.openJobIds(other, 10)).toEqual([])
    })

    it('retires a queued job at the request of a person, which the timeline keeps', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.retireJob(jobId, operator)).toBe('retired')
      const { job, timeline } = await bench().file(jobId)
      expect(job).toMatchObject({ state: 'cancelled', conclusion: 'retired', endedAt: expect.any(Number) })
      expect(timeline.at(-1)).toMatchObject({ subject: 'job', kind: 'cancelled', source: 'operator' })
      expect(await bench().ledger.retireJob(jobId, operator)).toBe('refused')
    })

    it('retires a job that was claimed, and frees its runner', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      expect(await bench().ledger.retireJob(held.jobId, operator)).toBe('retired')
      expect(await bench().attempt(held)).toMatchObject({ state: 'ended', endReason: 'retired' })
      expect(await bench().runner(held.runnerId)).toMatchObject({ state: 'polling' })
    })

    it('retires a running job with that request as evidence (I3), and claims nothing about its runner', async () => {
      await bench().queue(1)
      const held = await bench().running()
      expect(await bench().ledger.retireJob(held.jobId, operator)).toBe('retired')
      const { job, evidence } = await bench().file(held.jobId)
      expect(job).toMatchObject({ state: 'cancelled', conclusion: 'retired' })
      expect(await bench().attempt(held)).toMatchObject({ endReason: 'retired', evidenceId: evidence[0]?.id })
      expect(evidence).toMatchObject([
        {
          kind: 'retired',
          record: { saidBy: 'operator', installation: contractInstallation, attemptState: 'running' },
        },
      ])
      expect(await bench().runner(held.runnerId)).toMatchObject({ state: 'busy', endedAt: null })
      expect(await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)).toBe('sealed')
    })

    it('retires its pending deliveries and incidents, and nothing of another', async () => {
      const body = { event: 'workflow_job', subject: null, body: '{}' }
      for (const installation of [contractInstallation, other]) {
        await bench().ledger.storeDelivery({ guid: installation, installation, ...body })
        await bench().ledger.raiseIncident(
          { kind: 'actions-disabled', installation, scope: 'repository', key: 'acme/app', reason: 'no' },
          60_000,
        )
      }
      expect(await bench().ledger.retireRest(other)).toEqual({ deliveries: 1, incidents: 1 })
      expect(await bench().ledger.retireRest(other)).toEqual({ deliveries: 0, incidents: 0 })
      const open = (await bench().ledger.incidents(0)).map(({ installation }) => installation)
      expect(open).toEqual([contractInstallation])
      const waiting = await bench().ledger.pendingDeliveries(10)
      expect(waiting.map(({ guid }) => guid)).toEqual([contractInstallation])
    })
  })
}
