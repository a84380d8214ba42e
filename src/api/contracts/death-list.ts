import { z } from 'zod'
import { deathClasses } from '../../domain/death/index.ts'
import { incidentSchema } from './incident.ts'
import { isoTime } from './time.ts'

/** One end in short; `holdfast explain` has all of it. */
export const endSchema = z.object({
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
  /** What ends since then have in common: open incidents, and those that are over. */
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

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** As long as history is kept unless said otherwise. */
const sinceMaxMs = 90 * unitsMs.d

/** `90m`, `24h`, `7d`: how far back. A duration, so that nobody's clock but the ledger's counts. */
export const sinceSchema = z
  .string()
  .regex(/^\d{1,5}[mhd]$/, 'expected minutes, hours or days, such as 90m, 24h or 7d')
  .transform((text) => Number(text.slice(0, -1)) * unitsMs[text.slice(-1) as keyof typeof unitsMs])
  .refine((ms) => ms >= unitsMs.m && ms <= sinceMaxMs, 'expected from 1m to 90d')

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
  all: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  limit: z.coerce.number().int().min(1).max(deathsLimitMax).default(deathsLimit),
})
export type DeathQuery = z.output<typeof deathQuerySchema>
