import { z } from 'zod'
import { deathClasses } from '../../domain/death/index.ts'
import { incidentSchema } from './incident.ts'
import { sinceSchema } from './since.ts'
import { isoTime } from './time.ts'

/** One end in short; `holdfast explain` has all of it. */
const endSchema = z.object({
  /** By the host's word, where it had one. */
  at: isoTime,
  sealedAt: isoTime,
  /** As it was sealed; what came later is judged by `explain`. */
  class: z.enum(deathClasses),
  confidence: z.enum(['proven', 'likely', 'unknown']),
  /** Where it was sealed although the runner lived: how it ended later; without a class it lives, as far as was seen. */
  corrected: z.object({ at: isoTime, class: z.enum(deathClasses).nullable() }).nullable(),
  runner: z.string(),
  pool: z.string(),
  node: z.string().nullable(),
  image: z.string().nullable(),
  repository: z.string().nullable(),
  jobId: z.int().nullable(),
})
export type ApiEnd = z.output<typeof endSchema>

export const deathListSchema = z.object({
  at: isoTime,
  since: isoTime,
  /** Common causes of the ends since then: incidents, open and closed. */
  causes: z.array(incidentSchema),
  /** Every class since then, also those that are not listed. */
  counts: z.array(z.object({ class: z.enum(deathClasses), count: z.int(), isListed: z.boolean() })),
  /** Newest first. */
  deaths: z.array(endSchema),
  /** So many more of the listed classes there are. */
  leftOut: z.int(),
})
export type DeathList = z.output<typeof deathListSchema>

export const deathsLimitMax = 500
const deathsLimit = 50

/**
 * `?since=24h&class=crash,evicted&node=m789d&limit=20`; without a class those that did what they should are counted and
 * not listed, but with `all=true`.
 */
export const deathQuerySchema = z.strictObject({
  since: sinceSchema.prefault('24h'),
  class: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(deathClasses)).min(1))
    .optional(),
  node: z.string().min(1).max(253).optional(),
  pool: z.string().min(1).max(253).optional(),
  /** Only of pools that have this label. */
  label: z.string().min(1).max(253).optional(),
  all: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  limit: z.coerce.number().int().min(1).max(deathsLimitMax).default(deathsLimit),
})
export type DeathQuery = z.output<typeof deathQuerySchema>
