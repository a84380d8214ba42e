import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunnerFacts } from '../domain/remedy/index.ts'
import { type Broken, broken, lacking, right } from './testing/broken.ts'
import { actions, type Scenario, scriptArbitrary, violationsOf } from './testing/races.ts'
import { failing, handingOff, reaping, unblocking } from './testing/scenarios.ts'
import { drifting, onAnyCopy, onAnyState, replacing, restarting } from './testing/secret-scenarios.ts'
import { foundIn, repeatedBlindly, withoutGate } from './testing/single-races.ts'

/** Fixed, so that every run of the tests judges the same worlds; another seed finds others. */
const seed = Number(process.env.REMEDY_SEED ?? 20_261_118)
const runs = Number(process.env.REMEDY_RUNS ?? 600)

/** The first world in which a variant breaks a rule. */
async function found<F extends RunnerFacts>(
  variant: Broken,
  scenario: Scenario<F>,
): Promise<readonly string[]> {
  const result = await fc.check(
    fc.asyncProperty(scriptArbitrary, async (script) => {
      const violations = await violationsOf(script, variant, scenario)
      if (violations.length > 0) throw new Error(violations.join('; '))
    }),
    { seed, numRuns: runs, endOnFailure: true },
  )
  return result.failed ? [String(result.errorInstance)] : []
}

describe('a fleet that changes between any two steps', () => {
  it('loses no job, acts at most once for an approval, and never without its row in the trail', async () => {
    expect(await found(right, reaping)).toEqual([])
  }, 120_000)

  it('is changed in every way that there is', async () => {
    const used = new Set(
      fc
        .sample(scriptArbitrary, { seed, numRuns: 200 })
        .flatMap(({ changes }) => changes.map(({ action }) => action)),
    )
    expect([...used].sort()).toEqual(Object.keys(actions).sort())
  })

  it.each(broken.map((variant) => [variant.name, variant] as const))(
    'shows what breaks: %s',
    async (_, variant) => {
      expect(await found(variant, reaping)).not.toEqual([])
    },
    120_000,
  )
})

describe('failed runners of a fleet that changes between any two steps', () => {
  it('are removed without a job lost, and none whose failure is not proven', async () => {
    expect(await found(right, failing)).toEqual([])
  }, 120_000)

  it.each([
    'cause-stated',
    'cause-not-back',
    'no-job-in-cluster',
    'no-started-container',
    'not-busy-at-forge',
    'finalizer-of-arc',
  ])(
    'show what breaks without the gate %s',
    async (gate) => {
      expect(await found(lacking(gate), failing)).not.toEqual([])
    },
    120_000,
  )
})

describe('a lane with one slot that changes between any two steps', () => {
  it('is freed without a job lost, and only for a job that waits', async () => {
    expect(await found(right, handingOff)).toEqual([])
  }, 120_000)

  it.each(['lane-of-one', 'replacement-queued', 'no-worker', 'not-busy-at-forge', 'finalizer-of-arc'])(
    'shows what breaks without the gate %s',
    async (gate) => {
      expect(await found(lacking(gate), handingOff)).not.toEqual([])
    },
    120_000,
  )
})

describe('a set without a listener that changes between any two steps', () => {
  it('loses its idle runners without a job lost, and only while all are free', async () => {
    expect(await found(right, unblocking)).toEqual([])
  }, 120_000)

  it.each(['still-blocking', 'not-remade', 'all-free', 'finalizer-of-arc'])(
    'shows what breaks without the gate %s',
    async (gate) => {
      expect(await found(lacking(gate), unblocking)).not.toEqual([])
    },
    120_000,
  )

  it.each([0, 3, 6, 12, 24])(
    'is judged by the readings of who acts: of two at once, each has read after %d calls that the listener came',
    async (after) => {
      const changes = [{ after, action: 'the listener comes', runner: 'r1' } as const]
      const quiet = { isStale: false, isBare: false, isWorkerSought: false, oddity: 'none' } as const
      const script = { ...quiet, changes, operators: 'two at once' } as const
      expect(await violationsOf(script, lacking('still-blocking'), unblocking)).toContainEqual(
        expect.stringContaining('the listener was back'),
      )
      expect(await violationsOf(script, right, unblocking)).toEqual([])
    },
  )
})

describe('a credential that others write between any two steps', () => {
  const bounds = { seed, numRuns: runs }

  it('is copied at most once for an approval, in the planned states, proven, and shown nowhere', async () => {
    expect(await foundIn(drifting, bounds)).toEqual([])
  }, 120_000)

  it.each(['source-proven', 'target-unused'])(
    'shows what breaks without the gate %s',
    async (gate) => {
      expect(await foundIn(drifting, bounds, withoutGate(gate))).not.toEqual([])
    },
    120_000,
  )

  it('shows what breaks where a write stands on any state, or is repeated blindly', async () => {
    expect(await foundIn(drifting, bounds, undefined, onAnyState)).not.toEqual([])
    const repeated: typeof onAnyState = (treatment, world) => repeatedBlindly(onAnyState(treatment, world))
    expect(String(await foundIn(drifting, bounds, undefined, repeated))).toMatch(/acts for|not planned/)
  }, 120_000)
})

describe.each([true, false])(
  'an App that others write between any two steps, its copy missing: %s',
  (isMissing) => {
    const bounds = { seed, numRuns: runs }
    const scenario = replacing(isMissing)

    it('is copied at most once for an approval, in the planned states, accepted, and shown nowhere', async () => {
      expect(await foundIn(scenario, bounds)).toEqual([])
    }, 120_000)

    it.each(['app-accepted', 'same-registration', 'target-unused'])(
      'shows what breaks without the gate %s',
      async (gate) => {
        expect(await foundIn(scenario, bounds, withoutGate(gate))).not.toEqual([])
      },
      120_000,
    )

    it('shows what breaks where a write stands on any state', async () => {
      const found = await foundIn(scenario, bounds, withoutGate('same-object'), onAnyCopy)
      expect(String(found)).toMatch(/was not planned/)
    }, 120_000)
  },
)

describe('a manager of GitLab Runner in a fleet that changes between any two steps', () => {
  const bounds = { seed, numRuns: runs }

  it('is restarted at most once for an approval, without a job, for a token that is accepted', async () => {
    expect(await foundIn(restarting, bounds)).toEqual([])
  }, 120_000)

  it.each(['no-running-jobs', 'no-job-pods', 'token-refused', 'token-valid'])(
    'shows what breaks without the gate %s',
    async (gate) => {
      expect(await foundIn(restarting, bounds, withoutGate(gate))).not.toEqual([])
    },
    120_000,
  )
})
