import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../../test/support/arc-states.ts'
import { selectFailed } from './select.ts'

/** In every state that ARC's real controller wrote: how many failed runners hold slots. */
function chosenIn(state: string): readonly string[] {
  const { scaleSets, runnerSets, runners } = arcSnapshot(state, { withForge: false }).cluster
  const [set = null] = scaleSets.items
  const place = { namespace: 'arc-runners', name: 'arc-demo' }
  const reading = { at: 0, place, set, listeners: [], listenerPods: [] }
  return selectFailed({ ...reading, generations: runnerSets.items, runners: runners.items })
    .filter(({ isChosen }) => isChosen)
    .map(({ why }) => why)
}

const withFailed = /e-failed-runners-hold-slots|0\.12\.1\/h-quota/

describe('the failed runners in the states of ARC', () => {
  it.each(arcStates().filter((state) => withFailed.test(state)))(
    'are found in %s, each with its cause',
    (state) => {
      const found = chosenIn(state)
      expect(found.length).toBeGreaterThan(1)
      for (const why of found) expect(why).toMatch(/^InvalidPod: Failed to create the pod/)
    },
  )

  it.each(arcStates().filter((state) => !withFailed.test(state)))('are none in %s', (state) => {
    expect(chosenIn(state)).toEqual([])
  })
})
