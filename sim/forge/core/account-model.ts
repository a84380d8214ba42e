import type { Instant } from '../../../src/ports/clock.ts'

export interface Repository {
  readonly id: number
  /** `owner/name`. */
  readonly fullName: string
  /** Its owner is a person, not an organisation. */
  readonly isPersonal?: boolean
  readonly isPublic?: boolean
  /** Names that lead to it, until another repository takes one. */
  readonly formerNames?: readonly string[]
}

/** An account that somebody has said something about; all others are organisations with what bears their name. */
export interface Owner {
  readonly id: number
  readonly login: string
  readonly isPersonal: boolean
}

export interface Enterprise {
  readonly id: number
  readonly slug: string
  /** Logins of its organisations; null: everything that there is. */
  readonly organizations: readonly string[] | null
}

export type GroupVisibility = 'all' | 'selected' | 'private'

/** Runners of an organisation or an enterprise that serve some of its repositories. */
export interface RunnerGroup {
  /** Of the row. */
  readonly id: number
  /** As the API has it: every organisation has a group 1. */
  readonly number: number
  /** `owner/*`, or `enterprise:slug`. */
  readonly scope: string
  readonly name: string
  /** Of an organisation's repositories, or of an enterprise's organisations. */
  readonly visibility: GroupVisibility
  /** Where it is `selected`: full names, or logins. */
  readonly selected: readonly string[]
  readonly allowsPublic: boolean
  readonly runnersMax: number
}

/** The App in one account. */
export interface Installation {
  readonly id: number
  /** A login, or `enterprises/slug`; null: everything that there is. */
  readonly account: string | null
  readonly suspendedAt: Instant | null
  /** Somebody has uninstalled it. */
  readonly isRemoved: boolean
}

/** Blocks that only a person can lift. */
export const refusalKinds = [
  'runners-disabled',
  'actions-disabled',
  'ip-not-allowed',
  'not-in-installation',
] as const
export type RefusalKind = (typeof refusalKinds)[number]

export interface Refusal {
  readonly id: number
  readonly what: RefusalKind
  /** `owner`, or `owner/name`. */
  readonly of: string
}

/** The events to which the hook subscribes. */
export const hookEvents = ['workflow_job', 'workflow_run'] as const
export type HookEvent = (typeof hookEvents)[number]

export interface Hook {
  readonly id: number
  readonly events: readonly HookEvent[]
}
