import type { DeathClass } from '../../../src/domain/death/index.ts'

/** A pod of the crowd, and when it was made to end, by the machine's clock. */
export interface Ended {
  readonly name: string
  readonly expected: DeathClass
  readonly endedAtMs: number
}

/** The ledger's row for a runner of the crowd: one for each record, or one without any. */
export interface CrowdRow {
  readonly name: string
  readonly class: string | null
  readonly outcome: string | null
  readonly sealedAtMs: number | null
  /** Whether the record holds what this pod wrote; null where it holds no output. */
  readonly isOwnLog: boolean | null
}

export interface CrowdResult {
  readonly deaths: number
  /** From the first end to the last. */
  readonly spanMs: number
  /** From a pod's end to its seal. */
  readonly sealedAfterMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** From the first end to the last seal. */
  readonly allSealedMs: number
  readonly podsLeft: number
  readonly memoryMb: { readonly before: number; readonly peak: number }
  /** Violations; empty: it passed. */
  readonly problems: readonly string[]
}

export interface CrowdFacts {
  readonly ended: readonly Ended[]
  readonly rows: readonly CrowdRow[]
  readonly podsLeft: number
  readonly memoryMb: CrowdResult['memoryMb']
}

const spanMaxMs = 60_000
/** The tail of each record is some 60 KiB: what is kept of 500 of them at once must not be all of them many times. */
const memoryGrowthMaxMb = 256
const namesMax = 5

/** Compares what was done with what is on record. */
export function judgeCrowd({ ended, rows, podsLeft, memoryMb }: CrowdFacts): CrowdResult {
  const byName = Map.groupBy(rows, ({ name }) => name)
  const recordsOf = (name: string) => (byName.get(name) ?? []).filter((row) => row.class !== null)
  const only = ended.flatMap((each) => recordsOf(each.name).map((row) => ({ ...each, row })))
  const times = ended.map(({ endedAtMs }) => endedAtMs)
  const first = Math.min(...times)
  const spanMs = Math.max(...times) - first
  const latencies = only
    .map(({ row, endedAtMs }) => Math.max(0, (row.sealedAtMs ?? 0) - endedAtMs))
    .sort((a, b) => a - b)
  const grown = memoryMb.peak - memoryMb.before
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${names.length} ${what}: ${names.slice(0, namesMax).join(', ')}`]
  const strangers = [...byName.keys()].filter((name) => !ended.some((each) => each.name === name))
  return {
    deaths: ended.length,
    spanMs,
    podsLeft,
    memoryMb,
    sealedAfterMs: { p50: share(latencies, 0.5), p99: share(latencies, 0.99), max: latencies.at(-1) ?? 0 },
    allSealedMs: Math.max(...only.map(({ row }) => row.sealedAtMs ?? 0)) - first,
    problems: [
      ...named(
        'have not exactly one record',
        ended.map(({ name }) => name).filter((name) => recordsOf(name).length !== 1),
      ),
      ...named(
        'are classed wrong',
        only
          .filter(({ row, expected }) => row.class !== expected)
          .map(({ name, row, expected }) => `${name} is ${row.class}, not ${expected}`),
      ),
      ...named(
        'are incomplete',
        only.filter(({ row }) => row.outcome !== 'complete').map(({ name }) => name),
      ),
      ...named(
        'hold what another pod wrote',
        only.filter(({ row }) => row.isOwnLog === false).map(({ name }) => name),
      ),
      ...named('ended that nobody ended', strangers),
      ...(podsLeft === 0 ? [] : [`${podsLeft} pods are left`]),
      ...(spanMs <= spanMaxMs
        ? []
        : [`they took ${Math.round(spanMs / 1_000)} s to end: not within a minute`]),
      ...(grown <= memoryGrowthMaxMb
        ? []
        : [`Holdfast grew by ${Math.round(grown)} MB, more than ${memoryGrowthMaxMb}`]),
    ],
  }
}

/** For who watches, and for the page. */
export function crowdLines(result: CrowdResult): string[] {
  const { deaths, spanMs, sealedAfterMs, allSealedMs, memoryMb, podsLeft, problems } = result
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  return [
    `runners that died within ${seconds(spanMs)}: ${deaths}, of eight kinds`,
    `recorded exactly once, whole and of the right class: ${problems.length === 0 ? 'all' : 'not all'}; pods left: ${podsLeft}`,
    `from the end to the seal: median ${seconds(sealedAfterMs.p50)}, 99 % ${seconds(sealedAfterMs.p99)}, longest ${seconds(sealedAfterMs.max)}; the last seal ${seconds(allSealedMs)} after the first end`,
    `memory of Holdfast: ${Math.round(memoryMb.before)} MB before, ${Math.round(memoryMb.peak)} MB at most meanwhile`,
  ]
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
