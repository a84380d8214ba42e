import type { Instant } from '../time.ts'

/** What the agent on the node saw of one runner from outside: nothing that runs in the runner can write it. */
export interface HostRing {
  readonly podUid: string
  readonly node: string
  /** Newest last, one each second at most; the older ones went. */
  readonly samples: readonly HostSample[]
  /** What the kernel wrote about kills at a memory limit of this runner's groups. */
  readonly oomLines: readonly { readonly at: Instant; readonly line: string }[]
  /** When its group disappeared; null while it was still there. */
  readonly endedAt: Instant | null
  /** Between the last sample and the end, or the push: how blind the agent was at the end. */
  readonly lastSampleAgeMs: number | null
  /** What the agent could not read on this node, in words. */
  readonly missing: readonly string[]
}

/** Null: this kernel or this cgroup version does not give it. Pressures are the share of the last 10 s, 0 to 100. */
export interface HostSample {
  readonly at: Instant
  readonly memoryBytes: number | null
  readonly memoryLimitBytes: number | null
  readonly oomKills: number | null
  readonly cpuMs: number | null
  readonly throttledMs: number | null
  readonly processes: number | null
  readonly memoryPressure: number | null
  readonly cpuPressure: number | null
  readonly ioPressure: number | null
  readonly nodeMemoryFreeBytes: number | null
  readonly nodeFilesOpen: number | null
  readonly nodeFilesMax: number | null
  readonly nodeDiskFreeBytes: number | null
  readonly nodeInodesFree: number | null
  readonly nodeConntrack: number | null
  readonly nodeConntrackMax: number | null
  /** The most processes and threads that its pod, or a container of it with a lower limit, may have. */
  readonly processesMax?: number | null | undefined
  /** How often the kernel refused it one more for that limit. Absent, as the limit, where an older agent looked. */
  readonly forksRefused?: number | null | undefined
}

/** The last time of which a ring tells something: of two rings of a pod the one that reaches further is the newer. */
export function seenUntil({ samples, oomLines, endedAt }: HostRing): Instant {
  return Math.max(0, endedAt ?? 0, samples.at(-1)?.at ?? 0, ...oomLines.map(({ at }) => at))
}
