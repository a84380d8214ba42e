import { describe, expect, it } from 'vitest'
import { judgeCrowd } from './crowd/judge.ts'
import { isPassed, matrixPage, type Result, resultLine, summarise, summaryLines } from './report.ts'

const kind = { name: 'oom-runner', how: 'more memory than it may', classes: ['container-oom'] as const }
const found = {
  ...({ class: 'container-oom', rule: 'the kubelet says OOMKilled', confidence: 'proven' } as const),
  because: ['The kubelet says so.'],
}
const good: Result = {
  kind,
  where: 'pod',
  records: 1,
  found,
  sealedAfterMs: 1_500,
  problem: null,
  tookMs: 9_000,
}
const wrong: Result = { ...good, found: { ...found, class: 'crash', confidence: 'likely' } }
const wronglyProven: Result = { ...good, found: { ...found, class: 'crash' } }
const lost: Result = { ...good, records: 0, found: null, sealedAfterMs: null, problem: 'no record came' }

describe('the report of the deaths', () => {
  it('passes a death that has one record of a right class', () => {
    expect(isPassed(good)).toBe(true)
    expect(resultLine(good)).toMatch(/^ok {3}pod oom-runner: container-oom, proven/)
  })

  it.each([
    ['of a wrong class', wrong, 'expected container-oom'],
    ['with two records', { ...good, records: 2 }, '2 records'],
    ['without a record', lost, 'no record came'],
    ['whose record lacks something', { ...good, problem: 'its words say nothing' }, 'its words say nothing'],
  ])('does not pass one %s, and says why', (_, result, words) => {
    expect(isPassed(result)).toBe(false)
    expect(resultLine(result)).toContain('FAIL')
    expect(resultLine(result)).toContain(words)
  })

  it('counts what is recorded, right, wrong, and wrong though proven', () => {
    expect(summarise([good, wrong, wronglyProven, lost])).toMatchObject({
      all: 4,
      recorded: 3,
      right: 1,
      accepted: 0,
      wrong: 2,
      wronglyProven: 1,
      passed: 1,
    })
  })

  it('distinguishes an accepted class from the class of what was really done', () => {
    const second: Result = { ...good, kind: { ...kind, classes: ['guest-oom', 'container-oom'] } }
    expect(summarise([good, second])).toMatchObject({ right: 1, accepted: 1, wrong: 0, passed: 2 })
    expect(matrixPage([second], null)).toContain('| `container-oom`; really `guest-oom` |')
  })

  it('leaves ends that cannot be seen at once out of the latency', () => {
    const late = { ...good, kind: { ...kind, isSeenLate: true }, sealedAfterMs: 90_000 }
    const of = (sealedAfterMs: number) => ({ ...good, sealedAfterMs })
    const summary = summarise([of(3_000), late, of(1_000), of(2_000)])
    expect(summary.latencyMs).toEqual({ p50: 2_000, max: 3_000 })
    expect(summaryLines(summary).at(-1)).toContain('median 2.0 s, longest 3.0 s')
    expect(summaryLines(summarise([late])).at(-1)).toContain('not measured')
  })

  it('makes a page with a row for each, in which nothing breaks the table', () => {
    const page = matrixPage([good, { ...lost, kind: { ...kind, how: 'a | b\nc' } }], null)
    expect(page.split('\n').filter((line) => line.startsWith('| pod'))).toEqual([
      '| pod | oom-runner | really | more memory than it may | `container-oom` | the kubelet says OOMKilled | proven | 1.5 s |',
      '| pod | oom-runner | really | a \\| b c | none |  |  | ? |',
    ])
  })

  it('does not let a death of which a program only spoke pass for one that was caused', () => {
    const staged: Result = { ...good, kind: { ...kind, staged: 'words' } }
    const half: Result = { ...good, kind: { ...kind, staged: 'last-words' } }
    expect(summaryLines(summarise([good, staged, half]))[0]).toBe(
      "kinds of death: 3; really caused: 2, only said by a program in the runner's place: 1",
    )
    const page = matrixPage([staged, half], null)
    expect(page).toContain('| oom-runner | only said | more memory')
    expect(page).toContain('| oom-runner | really; its words are not | more memory')
  })

  it('has a part about the crowd, where there was one', () => {
    const ended = [{ name: 'a', expected: 'crash', endedAtMs: 0 }] as const
    const rows = [{ name: 'a', class: 'crash', outcome: 'complete', sealedAtMs: 900, isOwnLog: true }]
    const crowd = judgeCrowd({ ended, rows, podsLeft: 0, memoryMb: { before: 100, peak: 120 } })
    expect(matrixPage([good], crowd)).toContain('from the end to the seal: median 0.9 s')
    expect(matrixPage([good], null)).not.toContain('Many at once')
  })
})
