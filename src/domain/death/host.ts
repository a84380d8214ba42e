import type { Instant } from '../time.ts'
import type { HostRing, HostSample } from './host-ring.ts'

/** A ring is read up to the end of the runner: its pod and what the node does go on after that. */
export interface Seen {
  readonly ring: HostRing | null
  readonly ending: { readonly endedAt: Instant }
}

/** How long before the end something still counts as being at the end. */
export const AT_END_MS = 30_000
/** Ends are given in whole seconds, and samples come each second: so much later may still be before it. */
export const ROUNDING_MS = 2_000
/** Over this the agent did not see the end itself. */
const BLIND_MS = 5_000
/** The forge expects a sign of life each minute. */
export const STARVED_MS = 60_000
export const STARVED_PRESSURE = 80
const FULL = 0.98
const SAMPLES_LEAST = 5

/** The kernel's line about a kill as it ended because the whole node was out of memory, not one group at its limit. */
export function nodeOomLine({ ring, ending }: Seen): string | null {
  const found = ring?.oomLines.findLast(
    ({ at, line }) => Math.abs(at - ending.endedAt) <= ROUNDING_MS && isGlobal(line),
  )
  return found?.line.slice(0, 300) ?? null
}

/** By how the kernel's line begins: the names of groups and programs further on are chosen by who ran them. */
function isGlobal(line: string): boolean {
  return /^(?:oom-kill:constraint=CONSTRAINT_NONE,|Out of memory: Kill)/.test(line)
}

/** Whether what the agent saw reaches to the end. */
export function sawTheEnd(seen: Seen): boolean {
  return (blindMs(seen) ?? BLIND_MS + 1) <= BLIND_MS
}

/** How long before the end the agent saw it last; null where it saw nothing of it. */
export function blindMs(seen: Seen): number | null {
  const last = samplesUpTo(seen).at(-1)
  return last === undefined ? null : Math.max(0, seen.ending.endedAt - last.at)
}

/** The highest share of its limit that its memory was at in its last seconds; null where that is not known. */
export function memoryShare(seen: Seen): number | null {
  const shares = samplesUpTo(seen, BLIND_MS).flatMap(({ memoryBytes, memoryLimitBytes }) =>
    memoryBytes === null || !memoryLimitBytes ? [] : [memoryBytes / memoryLimitBytes],
  )
  return shares.length === 0 ? null : Math.max(...shares)
}

export function isFull(share: number | null): boolean {
  return share !== null && share >= FULL
}

/** The highest share of a table of the node near the end; null where it was not read. */
export function tableShare(
  seen: Seen,
  used: 'nodeFilesOpen' | 'nodeConntrack',
  most: 'nodeFilesMax' | 'nodeConntrackMax',
): number | null {
  const shares = samplesUpTo(seen, AT_END_MS).flatMap((each) => {
    const [taken, all] = [each[used], each[most]]
    return taken === null || !all ? [] : [taken / all]
  })
  return shares.length === 0 ? null : Math.max(...shares)
}

/** The least that was free of the node's disk near the end. */
export function leastFree(seen: Seen, of: 'nodeDiskFreeBytes' | 'nodeInodesFree'): number | null {
  const free = samplesUpTo(seen, AT_END_MS).flatMap((each) => each[of] ?? [])
  return free.length === 0 ? null : Math.min(...free)
}

/** The most processes that it had near the end. */
export function mostProcesses(seen: Seen): number | null {
  const counts = samplesUpTo(seen, AT_END_MS).flatMap(({ processes }) => processes ?? [])
  return counts.length === 0 ? null : Math.max(...counts)
}

/** The lowest pressure on its processors in its last minute: so much was wanted all of that time. */
export function pressedAllMinute(seen: Seen): number | null {
  const pressed = samplesUpTo(seen, STARVED_MS).filter(({ cpuPressure }) => cpuPressure !== null)
  const [first, last] = [pressed[0]?.at, pressed.at(-1)?.at]
  if (pressed.length < SAMPLES_LEAST || first === undefined || last === undefined) return null
  if (last - first < STARVED_MS * 0.8) return null
  return Math.min(...pressed.map(({ cpuPressure }) => cpuPressure ?? 0))
}

/** The samples up to the end, of the last so many milliseconds. */
export function samplesUpTo({ ring, ending }: Seen, ms = Number.POSITIVE_INFINITY): readonly HostSample[] {
  const until = ending.endedAt + ROUNDING_MS
  return ring?.samples.filter(({ at }) => at <= until && at >= ending.endedAt - ms) ?? []
}
