import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../../test/support/arc-states.ts'
import type { ClusterFacts, ForgeFacts, Listing, Snapshot } from '../../snapshot/index.ts'
import type { Finding, Judgement } from '../finding.ts'
import { findingKey } from '../run.ts'
import { judged } from '../testing/judge.ts'
import { runtime } from './index.ts'

/**
 * Classes that a state must show, and nothing else; none: it is healthy. The longest entry with which `release/state` or
 * `state` begins is meant.
 */
const expected: Readonly<Record<string, readonly string[]>> = {
  'a-healthy': [],
  'a2-healthy': [],
  'b-healthy': [],
  'c-rollover': [],
  'head/c-rollover': ['rollover-deadlock'],
  'd-listener-crashloop': ['listener-crash-loop'],
  'd-listener-neverborn': ['scale-set-never-registered'],
  'd-listener-pod-pending': ['listener-not-ready'],
  'e-failed-runners-hold-slots': ['failed-runners-hold-slots'],
  'e-failing-runners': ['runners-in-failure-back-off'],
  'e-failing-runners-after-6': ['assigned-job-at-risk', 'finalizer-stuck'],
  '0.12.1/e-failing-runners-after-6': [
    'assigned-job-at-risk',
    'finalizer-stuck',
    'runners-in-failure-back-off',
  ],
  'f-finalizer-stuck-auth-401': ['finalizer-stuck'],
  'f-finalizer-stuck-job-still-running': [],
  'g-outdated': ['outdated'],
  '0.12.1/g-outdated': ['outdated', 'runners-in-failure-back-off'],
  'g-outdated-one-exit7-after': [],
  'h-quota': ['quota-exceeded'],
  '0.12.1/h-quota': ['failed-runners-hold-slots', 'quota-exceeded'],
  'h-quota-lifted': [],
  'i-stale-generation-one-busy': [],
  'i-stale-generation-ratelimited': ['listener-crash-loop', 'stale-generation'],
  'j-image-pull': ['listener-not-ready'],
  'k-cancelled': [],
  'k-cancelled-handoff': ['cancelled-job-handoff'],
}

function expectedOf(state: string): readonly string[] {
  const [, name = ''] = state.split('/')
  const [longest = ''] = Object.keys(expected)
    .filter((key) => state.startsWith(key) || name.startsWith(key))
    .sort((a, b) => b.length - a.length)
  return expected[longest] ?? ['no entry']
}

/** Classes that nothing but the forge's word can show. */
const onlyByForge = new Set(['assigned-job-at-risk', 'cancelled-job-handoff'])

describe.each(arcStates())('ARC in the state %s', (state) => {
  const classes = expectedOf(state)
  const whole = arcSnapshot(state, { withForge: true })
  const withoutForge = arcSnapshot(state, { withForge: false })

  it('has its classes and no other, with the forge’s facts', () => {
    expect(classesOf(judge(whole).findings)).toEqual(classes)
  })

  it('has them without the forge’s facts too, as far as the cluster can show them', () => {
    const { findings, unjudged } = judge(withoutForge)
    expect(classesOf(findings)).toEqual(classes.filter((name) => !onlyByForge.has(name)))
    expect(unjudged.map((each) => each.class)).toEqual(expect.arrayContaining([...onlyByForge]))
  })

  it('names nothing that changes anything without the forge’s word', () => {
    expect(judge(withoutForge).findings.filter(isChange)).toEqual([])
  })

  it('never becomes more certain by a fact that is missing', () => {
    const before = new Map(judge(whole).findings.map((finding) => [findingKey(finding), finding]))
    for (const [what, less] of withLess(whole)) {
      const more = judge(less).findings.filter((finding) => {
        const earlier = before.get(findingKey(finding))
        if (earlier === undefined) return true
        return (isProven(finding) && !isProven(earlier)) || (isChange(finding) && !isChange(earlier))
      })
      expect(more, what).toEqual([])
    }
  })
})

function judge(snapshot: Snapshot): Judgement {
  return judged(runtime, snapshot)
}

function classesOf(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map((finding) => finding.class))].sort()
}

function isChange({ nextAllowedAction }: Finding): boolean {
  return nextAllowedAction.kind === 'change'
}

function isProven({ confidence }: Finding): boolean {
  return confidence === 'proven'
}

/** The snapshot without each list that has items, and without each item. */
function* withLess(snapshot: Snapshot): Generator<readonly [string, Snapshot]> {
  for (const side of ['cluster', 'forge'] as const) {
    const lists: Readonly<Record<string, Listing<unknown>>> = { ...snapshot[side] }
    for (const [name, { items }] of Object.entries(lists)) {
      if (items.length === 0) continue
      yield [`${side}.${name}`, without(snapshot, side, name, [])]
      for (const [index] of items.entries()) {
        yield [`${side}.${name}[${index}]`, without(snapshot, side, name, items.toSpliced(index, 1))]
      }
    }
  }
}

function without(
  snapshot: Snapshot,
  side: 'cluster' | 'forge',
  name: string,
  items: readonly unknown[],
): Snapshot {
  const facts: ClusterFacts | ForgeFacts = snapshot[side]
  const list = { ...Object.entries(facts).find(([each]) => each === name)?.[1], items }
  const unread = [{ what: name, why: 'taken away by the test', needs: null }]
  return { ...snapshot, [side]: { ...facts, [name]: { ...list, unread } } }
}
