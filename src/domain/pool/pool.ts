import type { Priority } from '../job/index.ts'

export const publicPolicies = ['allow', 'refuse'] as const
type PublicPolicy = (typeof publicPolicies)[number]
export const forkPolicies = ['allow', 'privateOnly', 'refuse'] as const
type ForkPolicy = (typeof forkPolicies)[number]

/** A pool: the labels it serves, how many runners it may have, and how they are shared. */
export interface Pool {
  readonly name: string
  readonly labels: readonly string[]
  /** Whose jobs it takes: globs over `owner/name`, without regard to case; unset: those of all. */
  readonly repositories?: readonly string[] | undefined
  /** Whether it takes jobs of public repositories. */
  readonly publicRepositories: PublicPolicy
  /** Whether it takes jobs of runs whose commits are a fork's; `privateOnly`: those of private repositories. */
  readonly forks: ForkPolicy
  /** In which group of the forge its runners are registered; that of the settings where nothing is said. */
  readonly runnerGroup?: string | undefined
  /** Idle runners kept ready. */
  readonly minWarm: number
  /** Times at which another number of them is kept ready. */
  readonly warmWindows: readonly WarmWindow[]
  readonly maxRunners: number
  readonly fairness: Fairness
  /** The first that matches gives the class; none means `normal`. */
  readonly priorities: readonly PriorityRule[]
  /** Idle runners that nobody needs are removed after this long. */
  readonly idleTimeoutMs: number
  /** A job that runs for longer is cancelled at the forge, and then its runner is stopped; unset: no limit. */
  readonly maxJobMs?: number | undefined
  readonly provisioning: Provisioning
  readonly rollout: Rollout
}

interface Fairness {
  /** Share of each repository (`owner/name`); 1 where nothing is said. */
  readonly weights: Readonly<Record<string, number>>
  /** At most so many jobs of one repository at once; null means no cap. */
  readonly capPerRepository: number | null
  readonly capPerOwner: number | null
  /** A job that has waited longer goes before every class, the oldest first, so that nothing starves. */
  readonly ageingMs: number
}

interface PriorityRule {
  /** `owner/name`, where `*` stands for any characters. */
  readonly repository: string
  /** The job's name, likewise; any where nothing is said. */
  readonly job?: string | undefined
  readonly class: Priority
}

/** From each time that the schedule names, for so long, at least so many runners are kept ready. */
export interface WarmWindow {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string
  /** IANA name, such as `Europe/Berlin`. */
  readonly zone: string
  readonly durationMs: number
  readonly minWarm: number
}

export interface Provisioning {
  /** Runners that may be starting on one node at a time. */
  readonly maxStartingPerNode: number
  /** From its start to its first question for a job; then it is given up. */
  readonly startDeadlineMs: number
  /** A runner that no node takes for this long is given up. */
  readonly unschedulableDeadlineMs: number
}

interface Rollout {
  /** Of the idle runners, so many are replaced at a time when the template changed; at least one. */
  readonly maxConcurrentPercent: number
}
