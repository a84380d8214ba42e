import type { Priority } from '../job/index.ts'

/** What a pool promises: which labels it serves, how many runners it may have, and how they are shared. */
export interface Pool {
  readonly name: string
  readonly labels: readonly string[]
  /** Idle runners kept ready. */
  readonly minWarm: number
  readonly maxRunners: number
  readonly fairness: Fairness
  /** The first that matches gives the class; none means `normal`. */
  readonly priorities: readonly PriorityRule[]
}

export interface Fairness {
  /** Share of each repository (`owner/name`); 1 where nothing is said. */
  readonly weights: Readonly<Record<string, number>>
  /** At most so many jobs of one repository at once; null means no cap. */
  readonly capPerRepository: number | null
  readonly capPerOwner: number | null
  /** A job that has waited longer goes before every class, the oldest first, so that nothing starves. */
  readonly ageingMs: number
}

export interface PriorityRule {
  /** `owner/name`, where `*` stands for any characters. */
  readonly repository: string
  /** The job's name, likewise; any where nothing is said. */
  readonly job?: string | undefined
  readonly class: Priority
}
