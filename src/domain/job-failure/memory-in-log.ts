import { type MemorySeen, vitalsOf } from '../death/index.ts'

/** One vitals line is looked for at the beginning of the log and one at its end. */
const vitalsMax = 10_000
const oomKill = /\boom_kill[ =:]+(\d{1,9})\b/g
const peak = /\bmemory\.peak[^0-9\n]{0,40}(\d{1,18})\b/g
const limit = /\bmemory\.max[^0-9\n]{0,40}(\d{1,18})\b/g

/**
 * Memory figures that the job printed itself: vitals, or the files of its cgroup (`memory.events`, `memory.peak`,
 * `memory.max`). Null where there is no figure. Of a count that was printed twice, the rise counts.
 */
export function memoryInLog(log: string): MemorySeen | null {
  const vitals = vitalsOf(log, vitalsMax)
  const kills = numbersIn(log, oomKill)
  const used = vitals.flatMap(({ values }) => values.mem_current ?? [])
  const seen: MemorySeen = {
    oomKills: kills.length === 0 ? null : (kills.at(-1) ?? 0) - (kills.length > 1 ? (kills[0] ?? 0) : 0),
    peakBytes: greatest([...numbersIn(log, peak), ...used]),
    limitBytes: numbersIn(log, limit).at(-1) ?? vitals.at(-1)?.values.mem_max ?? null,
  }
  return Object.values(seen).every((figure) => figure === null) ? null : seen
}

function numbersIn(log: string, pattern: RegExp): number[] {
  return [...log.matchAll(pattern)].map(([, digits]) => Number(digits))
}

function greatest(figures: readonly number[]): number | null {
  return figures.length === 0 ? null : figures.reduce((most, figure) => Math.max(most, figure))
}
