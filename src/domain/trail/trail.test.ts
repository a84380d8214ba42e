import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { chained, emptyHead, headOf, problemsOf, type TrailEntry, type TrailRow } from './index.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

const entry = (outcome: string): TrailEntry => ({
  at: 1_000,
  actor: { kind: 'person', name: 'ada' },
  remedy: 'reap',
  plan: null,
  step: 'planned',
  subject: null,
  gates: [],
  outcome,
})

function trailOf(count: number): TrailRow[] {
  const rows: TrailRow[] = []
  for (let index = 0; index < count; index++) rows.push(chained(entry(`row ${index}`), headOf(rows), digest))
  return rows
}

const problems = (rows: readonly TrailRow[], head = headOf(trailOf(5))) => problemsOf(rows, head, digest)
const rows = trailOf(5)

describe('a trail', () => {
  it('that nobody touched has no problem, also without rows', () => {
    expect(problems(rows)).toEqual([])
    expect(problems([], emptyHead)).toEqual([])
  })

  it('whose row was changed is found, and the row is named', () => {
    const changed = rows.map((row) => (row.number === 3 ? { ...row, outcome: 'nothing' } : row))
    expect(problems(changed)).toEqual([expect.stringContaining('row 3 was changed')])
  })

  it('whose row was changed together with its hash is found by the next row', () => {
    const { hash: _, ...rest } = { ...(rows[2] as TrailRow), outcome: 'nothing' }
    const forged = chained(rest, headOf(rows.slice(0, 2)), digest)
    expect(problems(rows.map((row) => (row.number === 3 ? forged : row)))).toEqual([
      expect.stringContaining('row 4 does not follow'),
    ])
  })

  it.each([0, 1, 2, 3])('without its row at %d is found', (index) => {
    expect(problems(rows.toSpliced(index, 1)).length).toBeGreaterThan(0)
  })

  it('without its last rows is found by the head', () => {
    expect(problems(rows.slice(0, 3))).toEqual([expect.stringContaining('the last 2 rows were removed')])
    expect(problems([])).toEqual([expect.stringContaining('the last 5 rows were removed')])
  })

  it('with a row more in the middle or at the end is found', () => {
    const extra = chained(entry('more'), headOf(rows), digest)
    expect(problems([...rows, extra])).toEqual([expect.stringContaining('1 rows stand after the head')])
    expect(problems(rows.toSpliced(2, 0, extra)).length).toBeGreaterThan(0)
  })

  it('that was written again as a whole is found by the head', () => {
    const other: TrailRow[] = []
    for (let index = 0; index < 5; index++)
      other.push(chained(entry(`other ${index}`), headOf(other), digest))
    expect(problems(other)).toEqual([expect.stringContaining('the rows were written again')])
  })
})
