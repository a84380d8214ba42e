import { expect, it } from 'vitest'
import type { Wake } from '../../../src/ports/ledger.ts'
import {
  type Bench,
  cause,
  contractInstallation,
  death,
  farMs,
  jit,
  jobEvent,
  type MakeLedger,
  neverRegistered,
  pool,
  started,
  topic,
} from './kit.ts'

/** Wake-ups for work that may be waiting. One may come too often; it must never be missing. */
export function wakeUps(make: MakeLedger): void {
  topic('wake-ups', make, (bench) => {
    const jobsOf = (name: string) => (wake: Wake) => wake.kind === 'jobs' && wake.pool === name
    const delivery = {
      guid: 'one',
      installation: contractInstallation,
      event: 'workflow_job',
      subject: null,
      body: '{}',
    }

    const incident = {
      kind: 'actions-disabled',
      installation: contractInstallation,
      scope: 'repository',
      key: 'acme/app',
      reason: 'off',
    } as const

    it('wakes the pool of a new job', async () => {
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().queue(1)
      })
    })

    it('wakes the pool without a name where no pool serves a new job', async () => {
      await expectWake(bench(), jobsOf(''), async () => {
        await bench().queue(1, { visibility: 'public' })
      })
    })

    it('wakes the pool without a name where a job loses its pool, because more is known of what it runs', async () => {
      await bench().queue(1)
      await expectWake(bench(), jobsOf(''), async () => {
        await bench().ledger.applyJobEvent(jobEvent(1, 'queued', { visibility: 'public' }), cause)
      })
    })

    it('wakes a runner that is fenced', async () => {
      const runner = await bench().idleRunner()
      const isFenced = (wake: Wake) => wake.kind === 'fenced' && wake.runnerId === runner.id
      await expectWake(bench(), isFenced, async () => {
        await bench().ledger.fence(runner.id, 'drained', cause)
      })
    })

    it('wakes the pool of a job that is requeued', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      })
    })

    it('wakes the pool of a job whose mint failed', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      const failure = { reason: 'no', concerns: 'job', delayMs: 0, failuresMax: 9, incident: null } as const
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().ledger.mintFailed(held.handle, failure)
      })
    })

    it('wakes the pool of a job whose runner was given another one', async () => {
      await bench().queue(1)
      const r = await bench().registered()
      const b = await bench().job(await bench().queue(2))
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().ledger.applyJobEvent(started(b, r.name), cause)
      })
    })

    it('wakes the pool of a job that is released', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      const failure = { reason: 'no', concerns: 'job', delayMs: 0, failuresMax: 1, incident: null } as const
      await bench().ledger.mintFailed(held.handle, failure)
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().ledger.release(jobId, cause)
      })
    })

    it('wakes the pool to which a job is routed again', async () => {
      await bench().queue(1)
      await expectWake(bench(), jobsOf('other'), async () => {
        await bench().ledger.putPools([pool({ name: 'other' })], cause)
      })
    })

    it('wakes the workers of deliveries', async () => {
      await expectWake(
        bench(),
        (wake) => wake.kind === 'deliveries',
        async () => {
          await bench().ledger.storeDelivery(delivery)
        },
      )
    })

    it('wakes the workers of deliveries when one is replayed', async () => {
      await bench().ledger.storeDelivery(delivery)
      await bench().ledger.settleDelivery(delivery.guid, { kind: 'poison', note: '' })
      await expectWake(
        bench(),
        (wake) => wake.kind === 'deliveries',
        async () => {
          await bench().ledger.replayDelivery(delivery.guid)
        },
      )
    })

    it('wakes the pools when an incident is lifted for which jobs wait', async () => {
      await bench().queue(1, { repository: incident.key })
      await bench().ledger.raiseIncident(incident, farMs)
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().ledger.liftIncident(incident)
      })
    })

    it('wakes the pools when a mint disproves an incident for which jobs wait', async () => {
      for (const n of [1, 2]) await bench().queue(n, { repository: incident.key })
      const held = await bench().claimed()
      await bench().ledger.raiseIncident(incident, farMs)
      await expectWake(bench(), jobsOf('linux'), async () => {
        await bench().ledger.minted(held.handle, 1, jit('one'), farMs)
      })
    })

    it('wakes recovery when a death is sealed', async () => {
      const runner = await bench().idleRunner()
      await expectWake(
        bench(),
        (wake) => wake.kind === 'recovery',
        async () => {
          await bench().ledger.sealDeath(runner.id, death(), 'killed', cause)
        },
      )
    })

    it('sends no wake-up for a write that changes nothing', async () => {
      await bench().queue(1)
      await bench().ledger.storeDelivery(delivery)
      await settled(bench())
      const wakes: Wake[] = []
      const stop = bench().ledger.onWake((wake) => wakes.push(wake))
      await bench().ledger.storeDelivery(delivery)
      await bench().ledger.release(1, cause)
      await bench().ledger.replayDelivery(delivery.guid)
      await bench().ledger.liftIncident(incident)
      await settled(bench())
      stop()
      // The death by which `settled` waits wakes recovery alone.
      expect(wakes.filter(({ kind }) => kind === 'jobs' || kind === 'deliveries')).toEqual([])
    })

    it('does not call back any more once the listener has left', async () => {
      const wakes: Wake[] = []
      const stop = bench().ledger.onWake((wake) => wakes.push(wake))
      stop()
      await bench().queue(1)
      await settled(bench())
      expect(wakes).toEqual([])
    })
  })
}

/** Waits until the wake-up comes that the act brings; the test's own time limit ends the wait. */
async function expectWake(
  bench: Bench,
  wanted: (wake: Wake) => boolean,
  act: () => Promise<void>,
): Promise<void> {
  await settled(bench)
  const woken = nextWake(bench, wanted)
  await act()
  await woken
}

/** Wake-ups come in the order of the writes: when this one has come, no earlier one is still under way. */
async function settled(bench: Bench): Promise<void> {
  const runner = await bench.bootingRunner()
  const woken = nextWake(bench, (wake) => wake.kind === 'recovery')
  await bench.ledger.sealDeath(runner.id, death(), 'killed', cause)
  await woken
}

function nextWake(bench: Bench, wanted: (wake: Wake) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = bench.ledger.onWake((wake) => {
      if (!wanted(wake)) return
      stop()
      resolve()
    })
  })
}
