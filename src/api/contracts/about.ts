import { z } from 'zod'
import { isoTime } from './time.ts'

/** Which Holdfast this is, and for which forge it works. */
export const aboutSchema = z.object({
  version: z.string(),
  installation: z.string(),
  forge: z.object({ kind: z.string(), url: z.string() }),
  dataDir: z.string().optional(),
  /** One sentence about the isolation that jobs lack here; absent where they lack none. */
  notIsolated: z.string().optional(),
  startedAt: isoTime,
})
export type About = z.output<typeof aboutSchema>

/** `GET /v1/about`. */
export const aboutAnswerSchema = aboutSchema.extend({
  /** Null while the ledger does not answer. */
  openIncidents: z.int().nullable(),
})
export type AboutAnswer = z.output<typeof aboutAnswerSchema>

export const errorBodySchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string(), retryable: z.boolean() }),
})

/** Whether it serves, and what is missing. */
export const readinessSchema = z.object({
  ready: z.boolean(),
  parts: z.array(z.object({ name: z.string(), ready: z.boolean(), why: z.string().optional() })),
})
export type Readiness = z.output<typeof readinessSchema>

/** Whether it should be restarted: background work that it cannot do without has ended. */
const livenessSchema = z.object({ live: z.boolean(), dead: z.array(z.string()) })
export type Liveness = z.output<typeof livenessSchema>
