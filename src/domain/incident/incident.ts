import type { Instant } from '../time.ts'
import type { IncidentKind } from './table.ts'

/**
 * The scope of an incident; its key is a repository (`owner/name`), an owner, an installation's name, or, for runners,
 * what their ends have in common (`never-started on node m789d`).
 */
export const incidentScopes = ['repository', 'account', 'installation', 'runners'] as const
export type IncidentScope = (typeof incidentScopes)[number]

/** A problem that only a person can resolve, kept from its first sign until it is gone. */
export interface Incident {
  readonly id: number
  readonly kind: IncidentKind
  readonly installation: string
  readonly scope: IncidentScope
  readonly key: string
  /** The forge's message, where there is one; for runners, how many of them and in what time. */
  readonly reason: string
  readonly openedAt: Instant
  readonly lastSeenAt: Instant
  readonly timesSeen: number
  readonly closedAt: Instant | null
}
