import type { Instant } from '../time.ts'

/** The samples of one runner that the agent on its node took from outside: no process in the runner can write them. */
export interface HostSamples {
  readonly podUid: string
  readonly node: string
  /** The newest last, at most one each second; a ring buffer drops the oldest. */
  readonly samples: readonly HostSample[]
  /** Kernel log lines about OOM kills in this runner's cgroups. */
  readonly oomLines: readonly { readonly at: Instant; readonly line: string }[]
  /** When its cgroup disappeared; null while it exists. */
  readonly endedAt: Instant | null
  /** The time between the last sample and the end, or the push. */
  readonly lastSampleAgeMs: number | null
  /** Descriptions of what the agent could not read on this node. */
  readonly missing: readonly string[]
}

/** One sample; null where the kernel or the cgroup version does not report the value. Pressures are PSI avg10, 0 to 100. */
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
  /** The process limit of its pod, or of a container with a lower one. */
  readonly processesMax?: number | null | undefined
  /** Forks that the kernel refused at that limit. Absent, like the limit, in samples of older agents. */
  readonly forksRefused?: number | null | undefined
}

/** The time of the newest observation; of two sets for one pod, the later one is the newer. */
export function lastObservedAt({ samples, oomLines, endedAt }: HostSamples): Instant {
  return Math.max(0, endedAt ?? 0, samples.at(-1)?.at ?? 0, ...oomLines.map(({ at }) => at))
}
