import { z } from 'zod'
import { incidentKinds, incidentScopes } from '../../domain/incident/index.ts'
import { isoTime } from './time.ts'

/** Something that only a person can put right. */
export const incidentSchema = z.object({
  id: z.int(),
  kind: z.enum(incidentKinds),
  title: z.string(),
  todo: z.string(),
  installation: z.string(),
  scope: z.enum(incidentScopes),
  /** The repository, owner or installation that it concerns, or what ends of runners have in common. */
  key: z.string(),
  /** In the forge's own words; of runners how many of them, and how soon. */
  reason: z.string(),
  openedAt: isoTime,
  lastSeenAt: isoTime,
  timesSeen: z.int(),
  closedAt: isoTime.nullable(),
})
export type ApiIncident = z.output<typeof incidentSchema>

export const incidentListSchema = z.object({ at: isoTime, incidents: z.array(incidentSchema) })
export type IncidentList = z.output<typeof incidentListSchema>

export const incidentIdSchema = z.coerce.number().int().min(1)

/** Its jobs are tried again at once; if it is not over, it opens again. */
export const retryAnswerSchema = z.object({ retried: z.literal(true), incident: z.int() })
export type RetryAnswer = z.output<typeof retryAnswerSchema>

const closedIncidentsMax = 200

/** `?closed=20`: the number of closed incidents to list after the open ones. */
export const incidentQuerySchema = z.strictObject({
  closed: z.coerce.number().int().min(0).max(closedIncidentsMax).default(0),
})
