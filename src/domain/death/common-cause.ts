import { percent } from '../format.ts'
import type { Instant } from '../time.ts'
import { type DeathClass, deathClasses } from './record.ts'
import { binomialTail, tailChance } from './tail-chance.ts'

export const causeFactors = ['node', 'image', 'repository', 'pool'] as const
type CauseFactor = (typeof causeFactors)[number]

/** The factors that ends of runners may have in common; null where one is not known. */
export type RunnerFactors = Readonly<Record<CauseFactor, string | null>>

/** One end of a runner, clean or not, with its class. */
export interface ClassifiedEnd extends RunnerFactors {
  readonly class: DeathClass
  readonly at: Instant
}

/** A factor that many ends of one class share and other runners do not. */
export interface CommonCause {
  readonly class: DeathClass
  readonly factor: CauseFactor | 'time'
  /** The node, image, …; for a time its beginning. */
  readonly value: string
  readonly count: number
  readonly of: number
  /** The share of all runners that have this value. */
  readonly usualShare: number
  /** The probability that chance alone produces it, corrected for the number of questions. */
  readonly chance: number
  readonly from: Instant
  readonly to: Instant
  /** "9 of 11 `never-started` on node m789d in 6 min". */
  readonly words: string
}

/** The most ends in one window, the newest; more need no statistics. */
export const endsMax = 10_000
/** Two ends of a class are a coincidence. */
const countLeast = 3
/** Less than half is no common factor. */
const shareLeast = 0.5
/** One false alarm in two hundred passes, over all questions of a pass. */
const chanceMost = 0.005
const shortMs = 10 * 60_000
const spansMs = [shortMs, 60 * 60_000]
/** Jobs come in bursts by themselves: a time needs more ends than a place. */
const atOnceLeast = 5

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

/** Ends that need no explanation. */
const expectedClasses: readonly DeathClass[] = ['clean', 'terminated']

/** All other classes: these are listed by default, and searched for common causes. */
export const unexpectedClasses = deathClasses.filter((name) => !expectedClasses.includes(name))

/**
 * The common causes of the ends in a window, the least likely by chance first. Each factor is compared with its share of
 * all runners, which are `ends` and `runners` (the runners that did not end, or that started, in the window): a node with
 * nearly every runner has nearly every death too, and is no finding. The chance of a class and factor is that of drawing so
 * many of its deaths at random out of all runners, times the number of questions (Bonferroni).
 */
export function commonCauses(
  ends: readonly ClassifiedEnd[],
  runners: readonly RunnerFactors[],
  windowMs: number,
): readonly CommonCause[] {
  const newest = ends.toSorted((a, b) => a.at - b.at).slice(-endsMax)
  const byClass = Map.groupBy(newest, (end) => end.class)
  const asked = [...byClass].filter(
    ([name, of]) => unexpectedClasses.includes(name) && of.length >= countLeast,
  )
  const questions = asked.length * (causeFactors.length + spansMs.length)
  const shares = new Map(causeFactors.map((factor) => [factor, tallied(factor, [...newest, ...runners])]))
  return asked
    .flatMap(([, deaths]) => [
      ...[...shares].flatMap(([factor, all]) => ofFactor(factor, deaths, all, questions)),
      ...ofTime(deaths, newest, windowMs, questions),
    ])
    .sort((a, b) => a.chance - b.chance || b.count - a.count)
}

/** The number of runners for each value of a factor, and of runners with any value. */
interface Tally {
  readonly placed: number
  readonly of: ReadonlyMap<string, number>
}

function tallied(factor: CauseFactor, places: readonly RunnerFactors[]): Tally {
  const of = new Map<string, number>()
  let placed = 0
  for (const { [factor]: value } of places) {
    if (value === null) continue
    placed += 1
    of.set(value, (of.get(value) ?? 0) + 1)
  }
  return { placed, of }
}

/** Every value that occurs counts as a question, also one without a death: any of them could have been the cause. */
function ofFactor(
  factor: CauseFactor,
  deaths: readonly ClassifiedEnd[],
  { placed, of: usualOf }: Tally,
  questions: number,
): CommonCause[] {
  const known = deaths.filter((death) => death[factor] !== null)
  const values = [...Map.groupBy(known, (death) => death[factor] as string)]
  return values.flatMap(([value, shared]) => {
    if (!isMany(shared.length, known.length)) return []
    const usual = usualOf.get(value) ?? 0
    const chance = questions * usualOf.size * tailChance(shared.length, known.length, usual, placed)
    if (chance > chanceMost) return []
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
 * The densest span of deaths. A span can begin with any death, so the chance is at most that of the other deaths falling
 * into one, times the number of deaths: under an even spread over the window, and under the spread of all ends. Where too
 * few other ends show that spread, only the short span counts: a fleet that works by day has all its deaths by day.
 */
function ofTime(
  deaths: readonly ClassifiedEnd[],
  ends: readonly ClassifiedEnd[],
  windowMs: number,
  questions: number,
): CommonCause[] {
  for (const spanMs of spansMs) {
    if (spanMs * 2 > windowMs) continue
    const shared = densest(deaths, spanMs)
    const from = shared[0]?.at ?? 0
    const isComparable = ends.length >= 2 * deaths.length
    if (!isMany(shared.length, deaths.length) || shared.length < atOnceLeast) continue
    if ((spanMs > shortMs && !isComparable) || isOneBurst(shared, ends)) continue
    const usual = ends.filter(({ at }) => at >= from && at <= from + spanMs).length
    const even = binomialTail(shared.length - 1, deaths.length - 1, spanMs / windowMs)
    const busy = isComparable ? tailChance(shared.length, deaths.length, usual, ends.length) : 0
    const chance = questions * deaths.length * Math.max(even, busy)
    if (chance > chanceMost) continue
    const value = new Date(from).toISOString()
    const found = { factor: 'time', value, usualShare: usual / ends.length, chance } as const
    return [described(shared, { ...found, count: shared.length, of: deaths.length }, `since ${value}`)]
  }
  return []
}

/** Whether all deaths are of one repository among several: jobs that started together also end together. */
function isOneBurst(shared: readonly ClassifiedEnd[], ends: readonly ClassifiedEnd[]): boolean {
  const repository = shared[0]?.repository ?? null
  const isOther = (end: ClassifiedEnd) => end.repository !== null && end.repository !== repository
  return repository !== null && shared.every((end) => end.repository === repository) && ends.some(isOther)
}

/** The largest run of deaths within one span; `deaths` are in order of time. */
function densest(deaths: readonly ClassifiedEnd[], spanMs: number): readonly ClassifiedEnd[] {
  let [first, best, from] = [0, 0, 0]
  for (const [last, { at }] of deaths.entries()) {
    while (at - (deaths[first]?.at ?? at) > spanMs) first += 1
    if (last - first + 1 > best) [best, from] = [last - first + 1, first]
  }
  return deaths.slice(from, from + best)
}

function isMany(count: number, of: number): boolean {
  return count >= countLeast && count >= shareLeast * of
}

function described(
  shared: readonly ClassifiedEnd[],
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
