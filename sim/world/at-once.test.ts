import { describe, expect, it } from 'vitest'
import { createSharedBudget } from '../../src/budget/index.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { recordedLog } from '../../test/support/machine.ts'
import { createForgeCore } from '../forge/core/index.ts'
import { createForgeTwin } from './forge.ts'
import { createMemoryLedger } from './ledger/index.ts'
import { createRandom } from './random.ts'
import { budgetedForge, createAtOnceLimit, createRateLimit, slowForge } from './rate-limit.ts'
import { createScheduler } from './scheduler.ts'

const never = new AbortController().signal
const silentMetrics = { count() {}, set() {}, observe() {} }
const labels = ['self-hosted']
const scope = { installation: 'sim', repository: 'acme/app' }
/** A forge that is not well, and takes as long for each answer. */
const answerMs = 4_000
const minuteMs = 60_000

/** Two hundred mints of two processes at once, and a recovery in their midst. */
async function crowd() {
  const scheduler = createScheduler()
  const clock: Clock = {
    now: scheduler.now,
    after: scheduler.after,
    sleep: (ms) => new Promise((resolve) => void scheduler.after(ms, resolve)),
  }
  const random = createRandom(1)
  const core = createForgeCore({ entropy: random.fork('forge') })
  const ledger = createMemoryLedger({ clock, entropy: random.fork('ledger') })
  const limit = createRateLimit(1_000_000, minuteMs, clock.now)
  const atOnce = createAtOnceLimit(100)
  const slow = slowForge(createForgeTwin(core, 'sim', clock.now), atOnce, () => clock.sleep(answerMs, never))
  const [one, other] = [1, 2].map(() => {
    const base = { ledger, clock, metrics: silentMetrics, log: recordedLog() }
    return budgetedForge(slow, createSharedBudget({ ...base, installation: 'sim' }), limit)
  })
  core.submit(
    { repository: scope.repository, workflow: 'ci', jobs: [{ name: 'test', labels, script: 'true' }] },
    clock.now(),
  )
  const outcomes: string[] = []
  let rescuedMs: number | null = null
  const begun = clock.now()
  scheduler.after(0, () => {
    for (let n = 0; n < 200; n += 1) {
      const forge = n % 2 === 0 ? one : other
      void forge?.mint({ scope, name: `r-${n}`, labels }, never).then(({ kind }) => outcomes.push(kind))
    }
    void one?.findRunner(scope, 'nobody', never).then(() => {
      rescuedMs = clock.now() - begun
    })
  })
  await scheduler.run(
    begun + minuteMs,
    () => undefined,
    () => outcomes.length === 200,
  )
  return { outcomes, atOnce, rescuedMs }
}

describe('a crowd of calls to a forge that is slow', () => {
  it('is never more at once than the forge allows, and recovery does not wait for it', async () => {
    const { outcomes, atOnce, rescuedMs } = await crowd()
    expect([outcomes.filter((kind) => kind === 'minted').length, atOnce.refusals()]).toEqual([200, 0])
    expect(atOnce.most()).toBeLessThanOrEqual(80)
    expect(atOnce.most()).toBeGreaterThan(50)
    expect(rescuedMs).toBe(answerMs)
  })
})
