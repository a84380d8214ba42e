import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryLedger } from '../../../../sim/world/ledger/index.ts'
import { createRandom } from '../../../../sim/world/random.ts'
import { recordedLog } from '../../../../test/support/machine.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { AnyPlan } from '../../../domain/remedy/index.ts'
import { type Loop, runLoop } from '../../../loop/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { RemedyCluster } from '../../../ports/remedy.ts'
import { leakingWorld, place, type RemedyWorld } from '../../../remedy/testing/world.ts'
import { type ReapMode, reapLoop } from './index.ts'

const never = new AbortController().signal
const minuteMs = 60_000
const everyMs = 30 * minuteMs

let world: RemedyWorld
let ledger: Ledger
let plans: Map<string, AnyPlan>
let lockError: unknown
let openError: unknown
let locks: string[]
beforeEach(() => {
  world = leakingWorld(3)
  ledger = createMemoryLedger({ clock: { now: () => world.now }, entropy: createRandom(1) })
  plans = new Map()
  lockError = undefined
  openError = undefined
  locks = []
})

/** A leader with its loop; the fleet and the ledger outlive it. */
function lead(given: Partial<ReapMode> & { readonly cluster?: RemedyCluster } = {}) {
  const { cluster = world.cluster, ...mode } = given
  const counted: string[] = []
  const log = recordedLog()
  const loop: Loop = reapLoop({
    reap: {
      mode: 'apply',
      sets: [place],
      namespaces: null,
      isStaleGeneration: false,
      minAgeMs: 60 * minuteMs,
      everyMs,
      ...mode,
      async open() {
        if (openError !== undefined) throw openError
        return {
          remedy: world.deps({ cluster, actor: { kind: 'controller', name: 'reap at here' } }),
          store: {
            plans: {
              write: async (hash, plan) => void plans.set(hash, plan),
              read: () => Promise.reject(new Error('nobody reads here')),
            },
            async lock() {
              if (lockError !== undefined) throw lockError
              locks.push('taken')
              return { [Symbol.asyncDispose]: async () => void locks.push('released') }
            },
          },
          [Symbol.asyncDispose]: async () => void locks.push('closed'),
        }
      },
    },
    ledger,
    installation: 'sim',
    clock: world.clock,
    log,
    metrics: {
      count: (metric, labels) => void counted.push(`${metric} ${Object.values(labels).join()}`),
      set() {},
      observe() {},
    },
  })
  return { loop, counted, log, pass: () => loop.pass(never) }
}

const steps = () => world.trail.kept.map(({ step }) => step)
const incidents = async () =>
  (await ledger.incidents(10)).map(({ kind, closedAt }) => `${kind} ${closedAt === null ? 'open' : 'closed'}`)

describe('the reaper of the leader', () => {
  it('removes what outlives the demand, proves it, and every step names the controller', async () => {
    const { pass } = lead()
    await pass()
    expect(world.acts.map(({ name }) => name)).toEqual(['r1', 'r2'])
    expect(steps().at(-1)).toBe('done')
    const { actor } = world.trail.kept[0] ?? {}
    expect(actor).toEqual({ kind: 'controller', name: 'reap at here' })
    expect(new Set(world.trail.kept.map((row) => row.actor.kind))).toEqual(new Set(['controller']))
    expect([plans.size, locks, await incidents()]).toEqual([1, ['taken', 'released', 'closed'], []])
  })

  it('plans, notes and never removes where it only observes', async () => {
    const { pass } = lead({ mode: 'observe' })
    for (let count = 0; count < 3; count++) {
      await pass()
      world.now += everyMs
    }
    expect([world.acts, plans.size]).toEqual([[], 3])
    expect(new Set(steps())).toEqual(new Set(['classified', 'evidence-sealed', 'planned']))
  })

  it('notes nothing where there is nothing to do', async () => {
    world = leakingWorld(1)
    const { pass } = lead()
    expect(await pass()).toEqual({ kind: 'requeue-after', afterMs: everyMs })
    expect([steps(), plans.size]).toEqual([[], 0])
  })

  it('leaves a runner alone that got a job', async () => {
    world.startJob('r1')
    await lead().pass()
    expect([world.acts.map(({ name }) => name), world.lostJobs]).toEqual([['r2'], []])
  })

  it.each([
    [59, 0],
    [61, 2],
  ])(
    'of runners that are %d minutes old removes %d, where an hour is the least',
    async (minutes, removed) => {
      for (const name of ['r1', 'r2', 'r3']) world.change(name, { createdAt: world.now - minutes * minuteMs })
      await lead().pass()
      expect(world.acts).toHaveLength(removed)
    },
  )

  it('looks at the sets that are named, and at all of the namespaces where none are', async () => {
    const listed: unknown[] = []
    const cluster: RemedyCluster = {
      ...world.cluster,
      async listSets(namespaces) {
        listed.push(namespaces)
        return [place]
      },
    }
    await lead({ cluster, mode: 'observe' }).pass()
    expect([listed, plans.size]).toEqual([[], 1])
    world.now += everyMs
    await lead({ cluster, sets: null, namespaces: ['arc-runners'] }).pass()
    expect([listed, world.acts.length]).toEqual([[['arc-runners']], 2])
  })

  it('reaps the other sets where one cannot be read', async () => {
    const bad = { namespace: 'arc-runners', name: 'bad' }
    const cluster: RemedyCluster = {
      ...world.cluster,
      readSet: (of, signal) =>
        of.name === bad.name ? Promise.reject(new Error('no')) : world.cluster.readSet(of, signal),
    }
    await lead({ sets: [bad, place], cluster }).pass()
    expect([world.acts.length, steps().at(-1)]).toEqual([2, 'done'])
  })
})

describe('the time of its passes', () => {
  it('is kept by the ledger: neither it nor a new leader looks again before', async () => {
    await lead({ mode: 'observe' }).pass()
    world.now += 10 * minuteMs
    expect(await lead({ mode: 'observe' }).pass()).toEqual({
      kind: 'requeue-after',
      afterMs: 20 * minuteMs,
    })
    expect(plans.size).toBe(1)
    world.now += 20 * minuteMs
    await lead({ mode: 'observe' }).pass()
    expect(plans.size).toBe(2)
  })

  it('is at most one interval away, also where the clock was set back', async () => {
    const { pass } = lead({ mode: 'observe' })
    await pass()
    world.now -= 5 * everyMs
    expect(await pass()).toEqual({ kind: 'requeue-after', afterMs: everyMs })
  })

  it('comes every half hour of a day in virtual time', async () => {
    const { loop } = lead({ mode: 'observe' })
    const stop = new AbortController()
    const clock = {
      ...world.clock,
      after(delayMs: number, callback: () => void) {
        world.now += delayMs
        queueMicrotask(callback)
        return () => {}
      },
    }
    const started = world.now
    const onWake = () => () => {}
    const run = runLoop(
      {
        ...loop,
        pass: async (signal) => {
          if (world.now - started >= 24 * 60 * minuteMs) stop.abort()
          return loop.pass(signal)
        },
      },
      { clock, entropy: createRandom(2), log: recordedLog(), onWake, onFailure: () => {} },
      stop.signal,
    )
    await run
    expect(plans.size).toBeGreaterThanOrEqual(48)
    expect(plans.size).toBeLessThanOrEqual(49)
  })
})

describe('a pass that cannot be made', () => {
  it('waits a minute where another remedy runs, and that is no incident', async () => {
    lockError = new HoldfastError('E_REMEDY_BUSY', { place: 'the ledger', holder: 'session 1' })
    const { pass, counted } = lead()
    expect(await pass()).toEqual({ kind: 'requeue-after', afterMs: minuteMs })
    expect([steps(), counted, await incidents(), locks]).toEqual([[], [], [], ['closed']])
    lockError = undefined
    await pass()
    expect(world.acts).toHaveLength(2)
  })

  it('is counted and an incident, throws nothing, and is over with the next one that works', async () => {
    openError = new HoldfastError('E_TRAIL_BROKEN', { place: 'the ledger', problem: 'row 3 was changed' })
    const { pass, counted } = lead()
    expect(await pass()).toEqual({ kind: 'requeue-after', afterMs: 5 * minuteMs })
    await pass()
    expect(await incidents()).toEqual(['remedy-failing open'])
    expect((await ledger.incidents(1))[0]?.reason).toContain('row 3 was changed')
    expect(counted.filter((each) => each.startsWith('holdfast_incidents_total'))).toHaveLength(1)
    expect(counted.filter((each) => each === 'holdfast_task_failures_total remedy-reap')).toHaveLength(2)
    openError = undefined
    await pass()
    expect([world.acts.length, await incidents()]).toEqual([2, ['remedy-failing closed']])
  })

  it('because this process stops is no failure', async () => {
    const stop = new AbortController()
    stop.abort()
    openError = stop.signal.reason
    const { loop, counted } = lead()
    await expect(loop.pass(stop.signal)).rejects.toBe(stop.signal.reason)
    expect([counted, await incidents()]).toEqual([[], []])
  })
})

describe('a run that is escalated', () => {
  it('is an incident that names the plan; the reaper only observes until a person has ended it', async () => {
    world.isListenerUp = false // the set is not whole again afterwards
    await lead().pass()
    const [hash = ''] = plans.keys()
    expect([steps().at(-1), world.acts.length]).toEqual(['escalated', 2])
    const [incident] = await ledger.incidents(0)
    expect(incident).toMatchObject({ kind: 'remedy-escalated', reason: expect.stringContaining(hash) })
    world.isListenerUp = true
    for (const name of ['r8', 'r9']) world.addRunner(name, { createdAt: world.now - 120 * minuteMs })
    world.now += everyMs
    await lead().pass()
    expect([world.acts.length, steps().at(-1)]).toEqual([2, 'planned'])
    if (incident !== undefined) await ledger.liftIncident(incident)
    world.now += everyMs
    await lead().pass()
    expect([world.acts.length, steps().at(-1)]).toEqual([4, 'done'])
  })
})
