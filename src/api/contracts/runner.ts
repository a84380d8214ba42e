import { z } from 'zod'
import { runnerStates } from '../../domain/runner/index.ts'
import { sinceSchema } from './since.ts'
import { isoTime } from './time.ts'

const runnerSchema = z.object({
  id: z.int(),
  name: z.string(),
  pool: z.string(),
  state: z.enum(runnerStates),
  jobId: z.int().nullable(),
  createdAt: isoTime,
  polledAt: isoTime.nullable(),
  fencedAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  reason: z.string().nullable(),
  evidenceId: z.int().nullable(),
})
export type ApiRunner = z.output<typeof runnerSchema>

/** A runner whose row only a newer version can read. */
const unreadableRunnerSchema = z.object({
  id: z.int(),
  name: z.string(),
  pool: z.string(),
  /** The part that cannot be read. */
  why: z.string(),
})
export type ApiUnreadableRunner = z.output<typeof unreadableRunnerSchema>

export const runnerListSchema = z.object({
  at: isoTime,
  runners: z.array(runnerSchema),
  /** Written by a newer version: they are there, count as capacity, and nobody touches them. */
  unreadable: z.array(unreadableRunnerSchema).default([]),
  /** Live ones for this question, also those that are not listed. */
  live: z.int(),
  /** So many more there are than are listed. */
  leftOut: z.int(),
})
export type RunnerList = z.output<typeof runnerListSchema>

const endedRunners = 10
const endedRunnersMax = 200

const runnersLimit = 50
export const runnersLimitMax = 1_000
const nameLengthMax = 253

/**
 * `?pool=linux&label=gpu&state=busy,fenced&since=2h&limit=100&ended=20`: so many that ended lately stand after those that
 * live.
 */
export const runnerQuerySchema = z.strictObject({
  ended: z.coerce.number().int().min(0).max(endedRunnersMax).default(endedRunners),
  pool: z.string().min(1).max(nameLengthMax).optional(),
  /** Of pools that have it. */
  label: z.string().min(1).max(nameLengthMax).optional(),
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(runnerStates)).min(1))
    .optional(),
  /** Live, or ended since then. */
  since: sinceSchema.optional(),
  limit: z.coerce.number().int().min(1).max(runnersLimitMax).default(runnersLimit),
})
export type RunnerQuery = z.output<typeof runnerQuerySchema>
