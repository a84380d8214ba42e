import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snapshots } from '../../../../test/support/audits/arbitrary-snapshot.ts'
import { runnerNames } from '../../../../test/support/audits/choose.ts'
import { joinSnapshot } from '../../audit/index.ts'
import type { Snapshot } from '../../snapshot/index.ts'
import { casesOf, type TriageCase } from '../case.ts'
import { type CaseTimeline, timelineOf } from './timeline.ts'

interface Given {
  readonly found: TriageCase
  readonly snapshot: Snapshot
}

const members = ['job', 'runner', 'pod', 'forgeRunner'] as const
const lists = ['events', 'nodes', 'nodeUsage', 'nodeProbes', 'pods'] as const

/** Everything with one fact less: a member of the case, a step of its job, a listener, a set, or an item of a list. */
function without({ found, snapshot }: Given): readonly Given[] {
  const { job, pod, listeners, sets } = found
  const inCase: readonly TriageCase[] = [
    ...members.map((member) => ({ ...found, [member]: null })),
    ...lessOne(listeners).map((rest) => ({ ...found, listeners: rest })),
    ...lessOne(sets).map((rest) => ({ ...found, sets: rest })),
    ...(job === null ? [] : lessOne(job.steps ?? []).map((steps) => ({ ...found, job: { ...job, steps } }))),
    ...(pod === null
      ? []
      : lessOne(pod.statuses).map((statuses) => ({ ...found, pod: { ...pod, statuses } }))),
  ]
  const inLists = lists.flatMap((list) =>
    lessOne<unknown>(snapshot.cluster[list].items).map((items) => ({
      ...snapshot,
      cluster: { ...snapshot.cluster, [list]: { ...snapshot.cluster[list], items } },
    })),
  )
  return [
    ...inCase.map((each) => ({ found: each, snapshot })),
    ...inLists.map((each) => ({ found, snapshot: each })),
  ]
}

function lessOne<T>(items: readonly T[]): readonly (readonly T[])[] {
  return items.map((_, index) => items.toSpliced(index, 1))
}

const shown = ({ rows, undated }: CaseTimeline): readonly string[] => [
  ...rows.map(({ at, source, text }) => `${at} ${source} ${text}`),
  ...undated.map(({ source, text }) => `undated ${source} ${text}`),
]

/** Whether `some` is left of `all` where rows are taken away and none is moved or added. */
function isLeftOf(some: readonly string[], all: readonly string[]): boolean {
  let from = 0
  return some.every((line) => {
    const found = all.indexOf(line, from)
    from = found + 1
    return found !== -1
  })
}

/** The snapshot with each event in a second namespace, where another pod of the same name may be. */
function withTwins(snapshot: Snapshot): Snapshot {
  const { events } = snapshot.cluster
  const twins = events.items.map((event) => ({ ...event, namespace: 'elsewhere' }))
  return {
    ...snapshot,
    cluster: { ...snapshot.cluster, events: { ...events, items: [...events.items, ...twins] } },
  }
}

const cases: fc.Arbitrary<Given> = snapshots()
  .map(withTwins)
  .chain((snapshot) => {
    const found = runnerNames.flatMap((name) =>
      casesOf({ kind: 'runner', namespace: null, name }, snapshot, joinSnapshot(snapshot)),
    )
    const none: TriageCase = {
      job: null,
      log: null,
      runner: null,
      pod: null,
      forgeRunner: null,
      sets: [],
      listeners: [],
    }
    return fc
      .constantFrom(...(found.length === 0 ? [none] : found))
      .map((each) => ({ found: each, snapshot }))
  })

describe('removing a fact from a case', () => {
  it('never adds a row to its timeline, and never moves another', () => {
    let removals = 0
    const property = fc.property(cases, (given) => {
      const before = shown(timelineOf(given.found, given.snapshot))
      for (const rest of without(given)) {
        removals += 1
        const after = shown(timelineOf(rest.found, rest.snapshot))
        expect(isLeftOf(after, before), `${after.join('\n')}\nis not left of\n${before.join('\n')}`).toBe(
          true,
        )
      }
    })
    fc.assert(property, { seed: 20260601, numRuns: 300 })
    expect(removals).toBeGreaterThan(1_000)
  })
})
