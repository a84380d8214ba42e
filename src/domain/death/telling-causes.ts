import { type CommonCause, causeFactors, type EndSeen, factorWords } from './common-cause.ts'

/** Names of images may be long; what is compared and shown is bounded. */
const KEY_CHARS_MAX = 500
/** Of the ends of one cause so many are explained by another: then it is that one seen from elsewhere. */
const SAME_SHARE = 0.5

/** What stays the same of a cause while its count grows: `never-started on node m789d`. */
export function causeKey({
  class: of,
  factor,
  value,
}: Pick<CommonCause, 'class' | 'factor' | 'value'>): string {
  const where = factor === 'time' ? 'in a short time' : `${factorWords[factor]} ${value}`
  return `${of} ${where}`.slice(0, KEY_CHARS_MAX)
}

/** The causes that this end would count for. */
export function keysOf(end: EndSeen): readonly string[] {
  return causeFactors.flatMap((factor) => {
    const value = end[factor]
    return value === null ? [] : [causeKey({ class: end.class, factor, value })]
  })
}

/** Whether an end is one of those that a cause speaks about. */
export function isOf({ class: of, factor, value, from, to }: CommonCause, end: EndSeen): boolean {
  if (end.class !== of) return false
  return factor === 'time' ? end.at >= from && end.at <= to : end[factor] === value
}

/**
 * One cause for the same ends. Deaths on a node are also those of its pool, and within its bad hour: of such causes the
 * one that is told already is told on, else a place before a time, which says less, else the most telling.
 */
export function tellingCauses(
  causes: readonly CommonCause[],
  ends: readonly EndSeen[],
  told: ReadonlySet<string>,
): readonly CommonCause[] {
  const rank = (cause: CommonCause) => (told.has(causeKey(cause)) ? 0 : 2) + (cause.factor === 'time' ? 1 : 0)
  const explained = new Set<EndSeen>()
  const keys = new Set<string>()
  return causes
    .toSorted((a, b) => rank(a) - rank(b) || a.chance - b.chance)
    .filter((cause) => {
      const own = ends.filter((end) => isOf(cause, end))
      const known = own.filter((end) => explained.has(end)).length
      if (keys.has(causeKey(cause)) || known > SAME_SHARE * own.length) return false
      keys.add(causeKey(cause))
      for (const end of own) explained.add(end)
      return true
    })
}
