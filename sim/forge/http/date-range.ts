import type { Instant } from '../../../src/ports/clock.ts'

const dayMs = 24 * 60 * 60_000

/**
 * GitHub's search syntax for times: `2026-01-02`, `>=2026-01-02T03:04:05Z`, `<…`, or `from..to` with `*` for an
 * open end. Null: the text is none of these.
 */
export function dateRange(text: string): ((at: Instant) => boolean) | null {
  const [from = '', to] = text.split('..')
  if (to !== undefined) return between(from, to)
  const [, sign = '', date = ''] = /^(>=|<=|>|<)?(.+)$/.exec(text) ?? []
  const at = Date.parse(date)
  if (Number.isNaN(at)) return null
  if (sign === '>=') return (each) => each >= at
  if (sign === '>') return (each) => each > at
  if (sign === '<=') return (each) => each <= at
  if (sign === '<') return (each) => each < at
  return between(date, date)
}

function between(from: string, to: string): ((at: Instant) => boolean) | null {
  const first = from === '*' ? Number.NEGATIVE_INFINITY : Date.parse(from)
  const last = to === '*' ? Number.POSITIVE_INFINITY : endOf(to)
  return Number.isNaN(first) || Number.isNaN(last) ? null : (at) => first <= at && at <= last
}

/** A day without a time is meant as a whole. */
function endOf(date: string): Instant {
  const at = Date.parse(date)
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? at + dayMs - 1 : at
}
