import type { Instant } from '../time.ts'
import type { HostSample, HostSamples } from './host-samples.ts'

/** The host samples with the end up to which they count: the pod and the node live on after it. */
export interface HostEvidence {
  readonly ring: HostSamples | null
  readonly ending: { readonly endedAt: Instant }
}

/** Observations this long before the end count as at the end. */
export const atEndMs = 30_000
/** Ends are in whole seconds, samples each second: a sample this much later may still be from before the end. */
export const roundingMs = 2_000
/** With a longer gap before the end, the agent did not see the end itself. */
const defaultBlindMs = 5_000
/** The forge expects a lease renewal each minute. */
export const starvedMs = 60_000
export const starvedPressure = 80
const full = 0.98
const samplesLeast = 5

/** The kernel's line about a kill at the end because the node, not one cgroup, was out of memory. */
export function nodeOomLine({ ring, ending }: HostEvidence): string | null {
  const found = ring?.oomLines.findLast(
    ({ at, line }) => Math.abs(at - ending.endedAt) <= roundingMs && isGlobal(line),
  )
  return found?.line.slice(0, 300) ?? null
}

/** Judges by the beginning of the line alone: a job can choose the names of cgroups and programs further on. */
function isGlobal(line: string): boolean {
  return /^(?:oom-kill:constraint=CONSTRAINT_NONE,|Out of memory: Kill)/.test(line)
}

/** Whether the samples reach to the end. */
export function sawTheEnd(evidence: HostEvidence): boolean {
  return (blindMs(evidence) ?? defaultBlindMs + 1) <= defaultBlindMs
}

/** The time between the last sample and the end; null without samples. */
export function blindMs(evidence: HostEvidence): number | null {
  const last = samplesUpTo(evidence).at(-1)
  return last === undefined ? null : Math.max(0, evidence.ending.endedAt - last.at)
}

/** The highest memory use in the last seconds, as a share of the limit; null where it is not known. */
export function memoryShare(evidence: HostEvidence): number | null {
  const shares = samplesUpTo(evidence, defaultBlindMs).flatMap(({ memoryBytes, memoryLimitBytes }) =>
    memoryBytes === null || !memoryLimitBytes ? [] : [memoryBytes / memoryLimitBytes],
  )
  return shares.length === 0 ? null : Math.max(...shares)
}

export function isFull(share: number | null): boolean {
  return share !== null && share >= full
}

/** The highest fill level of a kernel table of the node near the end; null where it was not read. */
export function tableShare(
  evidence: HostEvidence,
  used: 'nodeFilesOpen' | 'nodeConntrack',
  most: 'nodeFilesMax' | 'nodeConntrackMax',
): number | null {
  const shares = samplesUpTo(evidence, atEndMs).flatMap((each) => {
    const [inUse, limit] = [each[used], each[most]]
    return inUse === null || !limit ? [] : [inUse / limit]
  })
  return shares.length === 0 ? null : Math.max(...shares)
}

/** The least free space, or free inodes, of the node's disk near the end. */
export function leastFree(evidence: HostEvidence, of: 'nodeDiskFreeBytes' | 'nodeInodesFree'): number | null {
  const free = samplesUpTo(evidence, atEndMs).flatMap((each) => each[of] ?? [])
  return free.length === 0 ? null : Math.min(...free)
}

/** The highest number of processes near the end. */
export function mostProcesses(evidence: HostEvidence): number | null {
  const counts = samplesUpTo(evidence, atEndMs).flatMap(({ processes }) => processes ?? [])
  return counts.length === 0 ? null : Math.max(...counts)
}

/** The lowest CPU pressure of the last minute: it was at least this high all the time. */
export function pressedAllMinute(evidence: HostEvidence): number | null {
  const pressed = samplesUpTo(evidence, starvedMs).filter(({ cpuPressure }) => cpuPressure !== null)
  const [first, last] = [pressed[0]?.at, pressed.at(-1)?.at]
  if (pressed.length < samplesLeast || first === undefined || last === undefined) return null
  if (last - first < starvedMs * 0.8) return null
  return Math.min(...pressed.map(({ cpuPressure }) => cpuPressure ?? 0))
}

/** The samples of the last `ms` up to the end. */
export function samplesUpTo(
  { ring, ending }: HostEvidence,
  ms = Number.POSITIVE_INFINITY,
): readonly HostSample[] {
  const until = ending.endedAt + roundingMs
  return ring?.samples.filter(({ at }) => at <= until && at >= ending.endedAt - ms) ?? []
}
