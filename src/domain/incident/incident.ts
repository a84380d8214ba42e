import type { Instant } from '../time.ts'
import type { IncidentKind } from './table.ts'

/**
 * Whom an incident concerns; the key is a repository (`owner/name`), an owner, an installation's name, or, for runners,
 * what their ends have in common (`never-started on node m789d`).
 */
export const incidentScopes = ['repository', 'account', 'installation', 'runners'] as const
export type IncidentScope = (typeof incidentScopes)[number]

/** Something that only a person can put right, kept from its first sign until it is gone. */
export interface Incident {
  readonly id: number
  readonly kind: IncidentKind
  readonly installation: string
  readonly scope: IncidentScope
  readonly key: string
  /** In the forge's own words, where it said any; of runners how many of them, and how soon. */
  readonly reason: string
  readonly openedAt: Instant
  readonly lastSeenAt: Instant
  readonly timesSeen: number
  readonly closedAt: Instant | null
}
