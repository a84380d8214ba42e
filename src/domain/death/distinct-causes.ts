import { type ClassifiedEnd, type CommonCause, causeFactors, factorWords } from './common-cause.ts'

/** Bounds a key: names of images may be long. */
const keyCharsMax = 500
/** A cause that shares more than this of its ends with another is the same cause. */
const sameShare = 0.5

/** The key of a cause, stable while its count grows: `never-started on node m789d`. */
export function causeKey({
  class: of,
  factor,
  value,
}: Pick<CommonCause, 'class' | 'factor' | 'value'>): string {
  const where = factor === 'time' ? 'in a short time' : `${factorWords[factor]} ${value}`
  return `${of} ${where}`.slice(0, keyCharsMax)
}

/** The keys of the causes that this end would count for. */
export function causeKeysOf(end: ClassifiedEnd): readonly string[] {
  return causeFactors.flatMap((factor) => {
    const value = end[factor]
    return value === null ? [] : [causeKey({ class: end.class, factor, value })]
  })
}

/** Whether an end counts for a cause. */
export function isOfCause({ class: of, factor, value, from, to }: CommonCause, end: ClassifiedEnd): boolean {
  if (end.class !== of) return false
  return factor === 'time' ? end.at >= from && end.at <= to : end[factor] === value
}

/**
 * Keeps one cause for the same ends: deaths on a node are also deaths of its pool, and of that hour. A cause that is
 * reported already stays; otherwise a place goes before a time, which says less, and then the least likely by chance.
 */
export function distinctCauses(
  causes: readonly CommonCause[],
  ends: readonly ClassifiedEnd[],
  reported: ReadonlySet<string>,
): readonly CommonCause[] {
  const rank = (cause: CommonCause) =>
    (reported.has(causeKey(cause)) ? 0 : 2) + (cause.factor === 'time' ? 1 : 0)
  const explained = new Set<ClassifiedEnd>()
  const keys = new Set<string>()
  return causes
    .toSorted((a, b) => rank(a) - rank(b) || a.chance - b.chance)
    .filter((cause) => {
      const own = ends.filter((end) => isOfCause(cause, end))
      const known = own.filter((end) => explained.has(end)).length
      if (keys.has(causeKey(cause)) || known > sameShare * own.length) return false
      keys.add(causeKey(cause))
      for (const end of own) explained.add(end)
      return true
    })
}
