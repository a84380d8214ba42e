import { createColors } from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { ApiCaseTimeline } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { caseTimelineLines } from './case-timeline.ts'

const context = { colors: createColors(false), width: 80 } as Context

function row(minute: number, given: Partial<ApiCaseTimeline['rows'][number]> = {}) {
  const at = `2026-06-01T03:${String(minute).padStart(2, '0')}:00.000Z`
  return { at, precision: 'second', source: 'cluster', text: `row ${minute}.`, mark: null, ...given } as const
}

const empty: ApiCaseTimeline = {
  rows: [],
  leftOut: 0,
  undated: [],
  undatedLeftOut: 0,
  gaps: [],
  endAt: null,
}
const long: ApiCaseTimeline = {
  ...empty,
  rows: Array.from({ length: 40 }, (_, minute) => row(minute)),
  endAt: row(20).at,
}
const text = (given: ApiCaseTimeline, part: 'end' | 'all' = 'end') =>
  caseTimelineLines(given, part, context).join('\n')

describe('the timeline of a case', () => {
  it('has times as exact as they are, a day where it changes, marks, facts without a time, and what is missing', () => {
    const given: ApiCaseTimeline = {
      ...empty,
      rows: [
        row(1, { at: '2026-05-31T23:59:59.000Z', source: 'forge', mark: '2 s before its pod was made' }),
        row(2, { source: 'agent', precision: 'millisecond', at: '2026-06-01T00:00:01.250Z' }),
      ],
      undated: [{ source: 'forge', text: 'The forge calls the runner offline and not busy.' }],
      undatedLeftOut: 3,
      gaps: ['not read: pods: forbidden'],
    }
    expect(text(given)).toBe(`
Timeline (UTC)
  2026-05-31
  23:59:59      forge   row 1. [! 2 s before its pod was made]
  2026-06-01
  00:00:01.250  agent   row 2.
  [!] contradicts another row: clocks differ, or a later pod has the same name.
  Nothing was moved for it.

Known, without a time
  - The forge calls the runner offline and not busy. (forge)
  - and 3 more

Missing in the timeline
  - not read: pods: forbidden`)
  })

  it('is not there where nothing is known', () => {
    expect(text(empty)).toBe('')
  })

  it('is the part around the end, with the count of the others', () => {
    const shown = text(long)
    expect(shown).toContain('13 earlier rows: --timeline all')
    expect(shown).toContain('13 later rows: --timeline all')
    expect(shown).not.toMatch(/row (12|27)\./)
    expect(shown).toMatch(/row 13\.[\s\S]*row 20\.[\s\S]*row 26\./)
  })

  it('is its newest part where nothing ended', () => {
    const shown = text({ ...long, endAt: null })
    expect(shown).toContain('32 earlier rows: --timeline all')
    expect(shown).toMatch(/row 39\.$/)
  })

  it('is whole where that is asked for, and counts what nobody kept', () => {
    const shown = text({ ...long, leftOut: 7 }, 'all')
    expect(shown).toContain('7 older rows are left out.')
    expect(shown).not.toContain('--timeline all')
    expect(shown.match(/row \d+\./g)).toHaveLength(40)
  })
})
