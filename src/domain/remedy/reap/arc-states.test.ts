import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../../test/support/arc-states.ts'
import { keyOf, type ScaleSetFact } from '../../snapshot/index.ts'
import type { SetReading } from '../reading.ts'
import { selectRunners } from './select.ts'

const hourMs = 60 * 60_000

/** A state of ARC's real controller, read two hours later: nothing in it is too young. */
function readingOf(state: string): SetReading {
  const { cluster, takenAt } = arcSnapshot(state, { withForge: true })
  const [set] = cluster.scaleSets.items
  const place = set ?? { namespace: 'arc-runners', name: 'arc-demo' }
  const isOf = (scaleSet: { namespace: string; name: string } | null) =>
    scaleSet !== null && keyOf(scaleSet) === keyOf(place)
  return {
    at: takenAt + 2 * hourMs,
    place,
    set: (set as ScaleSetFact | undefined) ?? null,
    generations: cluster.runnerSets.items.filter(({ scaleSet }) => isOf(scaleSet)),
    runners: cluster.runners.items.filter(({ scaleSet }) => isOf(scaleSet)),
    listeners: cluster.listeners.items.filter(({ scaleSet }) => isOf(scaleSet)),
    listenerPods: cluster.pods.items.filter((pod) =>
      cluster.listeners.items.some((each) => keyOf(each) === keyOf(pod)),
    ),
  }
}

function selected(state: string, isStaleGeneration: boolean, minAgeMs = hourMs) {
  const reading = readingOf(state)
  const chosen = selectRunners(reading, { isStaleGeneration, minAgeMs }, reading.at)
  return { reading, chosen, taken: chosen.filter(({ arm }) => arm !== null) }
}

/** States in which nothing outlives the demand, by either arm. */
const quiet = arcStates().filter((state) =>
  /\/(a-healthy|a2-|b-healthy|e-failed-runners|k-cancelled)/.test(state),
)

describe('the states that ARC wrote', () => {
  it('are there', () => {
    expect(quiet.length).toBeGreaterThan(12)
  })

  it.each(quiet)('%s: nothing is taken, by neither arm', (state) => {
    for (const isStale of [false, true]) expect(selected(state, isStale).taken).toEqual([])
  })

  it.each(arcStates())('%s: no runner with a job, and none that is being deleted, is ever taken', (state) => {
    const { taken } = selected(state, true, 0)
    for (const { runner } of taken)
      expect([runner.job, runner.deletedAt, runner.phase]).toEqual([null, null, 'Running'])
  })

  it.each(arcStates())('%s: the young stay', (state) => {
    expect(selected(state, true, 100 * hourMs).taken).toEqual([])
  })
})

describe('an old generation with runners (0.12.1 and 0.14.2)', () => {
  const states = arcStates().filter((state) => state.includes('i-stale-generation'))

  it.each(states)(
    '%s: its runners without a job are taken where that is asked for, and those of the newest are not',
    (state) => {
      const { taken, reading } = selected(state, true)
      expect(reading.generations).toHaveLength(2)
      expect(taken.length).toBeGreaterThan(0)
      const old = reading.generations.filter(({ deletedAt }) => deletedAt !== null).map(({ uid }) => uid)
      for (const { runner, arm } of taken)
        expect([arm, old]).toEqual(['stale-generation', [runner.runnerSet?.uid]])
    },
  )

  it.each(states)('%s: by default nothing of them is taken', (state) => {
    expect(selected(state, false).taken.filter(({ arm }) => arm === 'stale-generation')).toEqual([])
  })

  it.each(states)('%s: nothing is stale where neither age nor hash separates the generations', (state) => {
    const { reading } = selected(state, true)
    const alike = reading.generations.map((each) => ({ ...each, createdAt: 0, specHash: 'same' }))
    const chosen = selectRunners(
      { ...reading, generations: alike },
      { isStaleGeneration: true, minAgeMs: 0 },
      reading.at,
    )
    expect(chosen.filter(({ arm }) => arm === 'stale-generation')).toEqual([])
  })
})

describe('the rollover that never ends after 0.14.2', () => {
  const states = arcStates().filter((state) => /head\/c-rollover-deadlock/.test(state))

  it.each(states)(
    '%s: no single runner is taken, since ARC would make it again from the old spec',
    (state) => {
      const { taken, chosen } = selected(state, true)
      expect(taken).toEqual([])
      expect(chosen.map(({ why }) => why).join()).toContain('from the old spec')
    },
  )
})
