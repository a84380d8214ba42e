/** Resource limits of one runner; an absent field is no limit. */
export interface Limits {
  readonly memoryMiB?: number | undefined
  readonly cpus?: number | undefined
  readonly pids?: number | undefined
}

export const controllers = ['memory', 'pids', 'cpu', 'cpuacct'] as const
export type Controller = (typeof controllers)[number]

/** Folders by controller; in version 2 they are one and the same. A controller that cannot be used has none. */
export type GroupFolders = Readonly<Partial<Record<Controller, string>>>

/** The folders in which runners' groups are created, and why a controller is missing. */
export interface Prepared {
  readonly version: 1 | 2 | null
  readonly bases: GroupFolders
  readonly why: readonly string[]
}

/** The groups of one runner. */
export interface RunnerGroups {
  readonly version: 1 | 2
  readonly folders: GroupFolders
  readonly memoryLimitBytes: number | null
}

/** The cgroup controllers that this machine lets us use, with reasons for those that it does not. */
export interface CgroupReport {
  readonly version: 1 | 2 | null
  readonly memory: boolean
  readonly cpus: boolean
  readonly pids: boolean
  /** The folders below which runners get their groups. */
  readonly folders: readonly string[]
  /** Why something is not limited; empty where all of it is. */
  readonly why: readonly string[]
}

/** Each folder once: in version 2 the controllers share one. */
export function uniqueFolders(folders: GroupFolders): readonly string[] {
  return [...new Set(Object.values(folders))]
}
