import type { Instant } from '../time.ts'
import { type DeathClass, deathClasses } from './record.ts'
import { binomialTail, tailChance } from './tail-chance.ts'
import { percent } from './words.ts'

export const causeFactors = ['node', 'image', 'repository', 'pool'] as const
export type CauseFactor = (typeof causeFactors)[number]

/** Where a runner was, as far as ends may have that in common; null where it is not known. */
export type Place = Readonly<Record<CauseFactor, string | null>>

/** One end, clean or not. */
export interface EndSeen extends Place {
  readonly class: DeathClass
  readonly at: Instant
}

/** What many ends of one class share, though those of other runners do not. */
export interface CommonCause {
  readonly class: DeathClass
  readonly factor: CauseFactor | 'time'
  /** The node, image, …; for a time its beginning. */
  readonly value: string
  readonly count: number
  readonly of: number
  /** What share of all runners this factor has anyway. */
  readonly usualShare: number
  /** How easily it comes about by chance, over all that was looked at. */
  readonly chance: number
  readonly from: Instant
  readonly to: Instant
  /** "9 of 11 `never-started` on node m789d in 6 min". */
  readonly words: string
}

/** Newer ones count; more than this in one window needs no statistics. */
export const ENDS_MAX = 10_000
/** Two of a kind are a coincidence. */
const COUNT_LEAST = 3
/** Less than half is no common factor. */
const SHARE_LEAST = 0.5
/** One false alarm in two hundred looks, over everything that is looked at in one. */
const CHANCE_MOST = 0.005
const SHORT_MS = 10 * 60_000
const SPANS_MS = [SHORT_MS, 60 * 60_000]
/** Jobs come in bursts by themselves: of one time more are asked for than of a place. */
const AT_ONCE_LEAST = 5

export const factorWords = {
  node: 'on node',
  image: 'of image',
  repository: 'of repository',
  pool: 'of pool',
}

const usualWords = {
  node: 'runners were there',
  image: 'runners were of it',
  repository: 'runners with a job had one of it',
  pool: 'runners were of it',
  time: 'ends fell into that time',
}

/** Ends that nobody has to ask about: they did what they should. */
const expectedClasses: readonly DeathClass[] = ['clean', 'terminated']

/** All others: what people list, and what is asked about here. */
export const unexpectedClasses = deathClasses.filter((name) => !expectedClasses.includes(name))

/**
 * What the ends of a window have in common. A factor counts against how common it is among all runners: `runners` are
 * those that did not end (or that started) in the window, and all ends stand beside them. A node that has nearly every
 * runner has nearly every death too, and is no finding. For each class and factor the chance is that of drawing so many
 * of its deaths blindly out of all runners, times the number of questions that were asked; the most telling one first.
 */
export function commonCauses(
  ends: readonly EndSeen[],
  runners: readonly Place[],
  windowMs: number,
): readonly CommonCause[] {
  const seen = ends.toSorted((a, b) => a.at - b.at).slice(-ENDS_MAX)
  const byClass = Map.groupBy(seen, (end) => end.class)
  const asked = [...byClass].filter(
    ([name, of]) => unexpectedClasses.includes(name) && of.length >= COUNT_LEAST,
  )
  const questions = asked.length * (causeFactors.length + SPANS_MS.length)
  const shares = new Map(causeFactors.map((factor) => [factor, tallied(factor, [...seen, ...runners])]))
  return asked
    .flatMap(([, deaths]) => [
      ...[...shares].flatMap(([factor, all]) => ofFactor(factor, deaths, all, questions)),
      ...ofTime(deaths, seen, windowMs, questions),
    ])
    .sort((a, b) => a.chance - b.chance || b.count - a.count)
}

/** How many runners each value of a factor has, and how many there are with any. */
interface Tally {
  readonly placed: number
  readonly of: ReadonlyMap<string, number>
}

function tallied(factor: CauseFactor, places: readonly Place[]): Tally {
  const of = new Map<string, number>()
  let placed = 0
  for (const { [factor]: value } of places) {
    if (value === null) continue
    placed += 1
    of.set(value, (of.get(value) ?? 0) + 1)
  }
  return { placed, of }
}

/** Any value could have been the one: each that there is counts as a question, also where nobody died. */
function ofFactor(
  factor: CauseFactor,
  deaths: readonly EndSeen[],
  { placed, of: usualOf }: Tally,
  questions: number,
): CommonCause[] {
  const known = deaths.filter((death) => death[factor] !== null)
  const values = [...Map.groupBy(known, (death) => death[factor] as string)]
  return values.flatMap(([value, shared]) => {
    if (!isMany(shared.length, known.length)) return []
    const usual = usualOf.get(value) ?? 0
    const chance = questions * usualOf.size * tailChance(shared.length, known.length, usual, placed)
    if (chance > CHANCE_MOST) return []
    const found = {
      factor,
      value,
      count: shared.length,
      of: known.length,
      usualShare: usual / placed,
      chance,
    }
    return [described(shared, found, `${factorWords[factor]} ${value}`)]
  })
}

/**
 * The densest span. Each could begin with any of the deaths, so the chance is at most that of the others falling into
 * one, times their number; by an even spread over the window, and by when runners ended at all. Where too few others
 * ended to say when runners do, only the short span counts: a fleet that works by day has all its deaths by day.
 */
function ofTime(
  deaths: readonly EndSeen[],
  ends: readonly EndSeen[],
  windowMs: number,
  questions: number,
): CommonCause[] {
  for (const spanMs of SPANS_MS) {
    if (spanMs * 2 > windowMs) continue
    const shared = densest(deaths, spanMs)
    const from = shared[0]?.at ?? 0
    const isComparable = ends.length >= 2 * deaths.length
    if (!isMany(shared.length, deaths.length) || shared.length < AT_ONCE_LEAST) continue
    if ((spanMs > SHORT_MS && !isComparable) || isOneBurst(shared, ends)) continue
    const usual = ends.filter(({ at }) => at >= from && at <= from + spanMs).length
    const even = binomialTail(shared.length - 1, deaths.length - 1, spanMs / windowMs)
    const busy = isComparable ? tailChance(shared.length, deaths.length, usual, ends.length) : 0
    const chance = questions * deaths.length * Math.max(even, busy)
    if (chance > CHANCE_MOST) continue
    const value = new Date(from).toISOString()
    const found = { factor: 'time', value, usualShare: usual / ends.length, chance } as const
    return [described(shared, { ...found, count: shared.length, of: deaths.length }, `since ${value}`)]
  }
  return []
}

/** All of one repository among several: its jobs were begun together, and that they end together says nothing. */
function isOneBurst(shared: readonly EndSeen[], ends: readonly EndSeen[]): boolean {
  const repository = shared[0]?.repository ?? null
  const isOther = (end: EndSeen) => end.repository !== null && end.repository !== repository
  return repository !== null && shared.every((end) => end.repository === repository) && ends.some(isOther)
}

/** The most deaths that one span holds; they are in order of time. */
function densest(deaths: readonly EndSeen[], spanMs: number): readonly EndSeen[] {
  let [first, best, from] = [0, 0, 0]
  for (const [last, { at }] of deaths.entries()) {
    while (at - (deaths[first]?.at ?? at) > spanMs) first += 1
    if (last - first + 1 > best) [best, from] = [last - first + 1, first]
  }
  return deaths.slice(from, from + best)
}

function isMany(count: number, of: number): boolean {
  return count >= COUNT_LEAST && count >= SHARE_LEAST * of
}

function described(
  shared: readonly EndSeen[],
  found: Omit<CommonCause, 'class' | 'from' | 'to' | 'words'>,
  where: string,
): CommonCause {
  const [from, to] = [shared[0]?.at ?? 0, shared.at(-1)?.at ?? 0]
  const deathClass = shared[0]?.class ?? 'unknown'
  const words =
    `${found.count} of ${found.of} \`${deathClass}\` ${where} in ${spanOf(to - from)}; ` +
    `${percent(found.usualShare)} of all ${usualWords[found.factor]}`
  return { class: deathClass, ...found, from, to, words }
}

function spanOf(ms: number): string {
  if (ms < 60_000) return `${Math.max(1, Math.round(ms / 1000))} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
