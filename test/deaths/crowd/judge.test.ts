import { describe, expect, it } from 'vitest'
import { type CrowdFacts, type CrowdRow, crowdLines, judgeCrowd } from './judge.ts'

const row = (name: string, over: Partial<CrowdRow> = {}): CrowdRow => ({
  name,
  class: 'crash',
  outcome: 'complete',
  sealedAtMs: 1_500,
  isOwnLog: true,
  ...over,
})
const facts = (over: Partial<CrowdFacts> = {}): CrowdFacts => ({
  ended: ['a', 'b', 'c'].map((name, place) => ({ name, expected: 'crash', endedAtMs: 1_000 + place * 100 })),
  rows: [row('a'), row('b'), row('c', { sealedAtMs: 4_000 })],
  podsLeft: 0,
  memoryMb: { before: 200, peak: 220 },
  ...over,
})

describe('the judgement of a crowd of deaths', () => {
  it('is well where each has its one record, of the right class', () => {
    const result = judgeCrowd(facts())
    expect(result).toMatchObject({ deaths: 3, spanMs: 200, allSealedMs: 3_000, problems: [] })
    expect(result.sealedAfterMs).toEqual({ p50: 500, p99: 2_800, max: 2_800 })
    expect(crowdLines(result)[1]).toContain('all; pods left: 0')
  })

  it.each<[what: string, over: Partial<CrowdFacts>, problem: string]>([
    ['one that is not recorded', { rows: [row('a'), row('b')] }, '1 have not exactly one record: c'],
    [
      'one whose row has no record',
      { rows: [row('a'), row('b'), row('c', { class: null })] },
      '1 have not exactly one record: c',
    ],
    [
      'one that is recorded twice',
      { rows: [row('a'), row('a'), row('b'), row('c')] },
      '1 have not exactly one record: a',
    ],
    [
      'one of another class',
      { rows: [row('a', { class: 'clean' }), row('b'), row('c')] },
      '1 are classed wrong: a is clean, not crash',
    ],
    [
      'one that is incomplete',
      { rows: [row('a', { outcome: 'incomplete' }), row('b'), row('c')] },
      '1 are incomplete: a',
    ],
    [
      'the log of another',
      { rows: [row('a', { isOwnLog: false }), row('b'), row('c')] },
      '1 hold what another pod wrote: a',
    ],
    ['one that nobody ended', { rows: [...facts().rows, row('z')] }, '1 ended that nobody ended: z'],
    ['a pod that is left', { podsLeft: 2 }, '2 pods are left'],
    [
      'a process that grows with them',
      { memoryMb: { before: 200, peak: 900 } },
      'Holdfast grew by 700 MB, more than 256',
    ],
    [
      'ends that were not within a minute',
      {
        ended: facts().ended.map((each, place) => ({ ...each, endedAtMs: place * 40_000 })),
        rows: ['a', 'b', 'c'].map((name) => row(name, { sealedAtMs: 90_000 })),
      },
      'they took 80 s to end: not within a minute',
    ],
  ])('names %s', (_, over, problem) => {
    expect(judgeCrowd(facts(over)).problems).toEqual([problem])
  })
})
