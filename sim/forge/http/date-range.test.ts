import { expect, it } from 'vitest'
import { dateRange } from './date-range.ts'

const noon = Date.parse('2026-01-02T12:00:00Z')

it.each([
  ['2026-01-02', true],
  ['2026-01-03', false],
  ['>=2026-01-02T12:00:00Z', true],
  ['>2026-01-02T12:00:00Z', false],
  ['<=2026-01-02T12:00:00.000Z', true],
  ['<2026-01-02T12:00:00Z', false],
  ['2026-01-01..2026-01-02', true],
  ['*..2026-01-01', false],
  ['2026-01-02..*', true],
])('the range %s has noon of the second of January: %s', (text, isIn) => {
  expect(dateRange(text)?.(noon)).toBe(isIn)
})

it.each(['', 'soon', '>=soon', 'a..b'])('"%s" is no range', (text) => {
  expect(dateRange(text)).toBeNull()
})
