import { describe, expect, it } from 'vitest'
import { createSharedBudget } from '../../src/budget/index.ts'
import { createWaiters, type DispatchDeps, poll } from '../../src/dispatch/index.ts'
import { forgeLimitOf, pointCursors } from '../../src/domain/queue/index.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { recordedLog } from '../../test/support/machine.ts'
import { aPool } from '../../test/support/rows.ts'
import { createForgeCore } from '../forge/core/index.ts'
import { createForgeTwin } from './forge.ts'
import { createMemoryLedger } from './ledger/index.ts'
import { createRandom } from './random.ts'
import { budgetedForge, createPointLimit, createRateLimit, limitedForge } from './rate-limit.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { plainVault } from './twins.ts'

const never = new AbortController().signal
const cause = { source: 'audit' } as const
const perMinute = 900
const minuteMs = 60_000
const silentMetrics = { count() {}, set() {}, observe() {} }
const settings = { pollMs: 25_000, mintDeadlineMs: 60_000, registerDeadlineMs: 60_000, mintFailuresMax: 5 }

function clockOf(scheduler: Scheduler): Clock {
  return {
    now: scheduler.now,
    after: scheduler.after,
    sleep: (ms) => new Promise((resolve) => void scheduler.after(ms, resolve)),
  }
}

/** A burst of jobs and as many runners that ask two processes, before a forge that counts points. */
async function burst(jobs: number, isPaced: boolean) {
  const scheduler = createScheduler()
  const clock = clockOf(scheduler)
  const random = createRandom(1)
  const core = createForgeCore({ entropy: random.fork('forge') })
  const ledger = createMemoryLedger({ clock, entropy: random.fork('ledger') })
  await ledger.putPools([{ ...aPool(), maxRunners: jobs }], cause)
  const limit = createRateLimit(1_000_000, minuteMs, clock.now)
  const points = createPointLimit(perMinute, clock.now)
  const forge = limitedForge(createForgeTwin(core, 'sim', clock.now), limit, points)
  let takes = 0
  const counted: Ledger = {
    ...ledger,
    takeTurn: (...given) => {
      takes += 1
      return ledger.takeTurn(...given)
    },
  }
  const processes = [1, 2].map((): DispatchDeps => {
    const base = { ledger: counted, clock, metrics: silentMetrics, log: recordedLog() }
    const budget = createSharedBudget({
      ...base,
      installation: 'sim',
      pointsPerMinute: isPaced ? perMinute : null,
    })
    return {
      ...base,
      entropy: random,
      forge: budgetedForge(forge, budget, limit),
      vault: plainVault,
      settings,
      budget,
      waiters: createWaiters(counted, clock, base.log),
      shutdown: never,
    }
  })
  const submitted = [{ name: 'test', labels: ['self-hosted'], script: 'true' }]
  for (let n = 0; n < jobs; n += 1)
    core.submit({ repository: `acme/app-${n % 7}`, workflow: 'ci', jobs: submitted }, clock.now())
  const asked = { installation: 'sim', since: 0, settledRuns: new Set<number>() }
  const listed = await createForgeTwin(core, 'sim', clock.now).listJobs(asked, never)
  for (const event of listed.events) await ledger.applyJobEvent(event, cause)
  let served = 0
  const startedAt = clock.now()
  const work = async (n: number): Promise<void> => {
    const row = { name: `linux-${n}`, pool: 'linux', host: 'h', identityHash: 'x', bootDeadlineMs: 3_600_000 }
    const runner = await ledger.enrol(row, cause)
    for (;;) {
      const answer = await poll(runner, processes[n % 2] as DispatchDeps, never)
      if (answer.kind === 'job') break
    }
    served += 1
  }
  for (let n = 0; n < jobs; n += 1) void work(n)
  const waits: (string | null)[] = []
  const stop = () => served === jobs
  for (let at = startedAt; !stop() && at < startedAt + 20 * minuteMs; at += 10_000) {
    await scheduler.run(at, () => undefined, stop)
    const waiting = forgeLimitOf(await ledger.cursors(pointCursors), clock.now(), 0)
    waits.push(waiting === null ? null : `${waiting.perMinute}`)
  }
  const attempts = [...ledger.rows.attempts.values()]
  return { served, takes, waits, attempts, points, minutes: (clock.now() - startedAt) / minuteMs }
}

describe('a burst of 500 jobs where the forge counts points', () => {
  it('is minted for in about four minutes without one refusal, and few writes keep the pace', async () => {
    const { served, takes, waits, attempts, points, minutes } = await burst(500, true)
    expect([served, points.refusals()]).toEqual([500, 0])
    expect(minutes).toBeGreaterThan(500 / 180)
    expect(minutes).toBeLessThan(4.5)
    // Hardly anything was claimed that could not be minted for in time.
    expect(attempts.length).toBeLessThan(520)
    // A write for each chunk of points, and one now and then to ask when the next is due.
    expect(takes).toBeLessThan(500)
    expect(waits.filter((each) => each === '900').length).toBeGreaterThan(waits.length / 2)
  }, 120_000)

  it('is refused by the forge where calls are not paced', async () => {
    const { points } = await burst(200, false)
    expect(points.refusals()).toBeGreaterThan(0)
  }, 120_000)
})
