import { z } from 'zod'
import { runnerStates } from '../../domain/runner/index.ts'
import { isoTime } from './time.ts'

export const runnerSchema = z.object({
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
export const unreadableRunnerSchema = z.object({
  id: z.int(),
  name: z.string(),
  pool: z.string(),
  /** What cannot be read of it. */
  why: z.string(),
})
export type ApiUnreadableRunner = z.output<typeof unreadableRunnerSchema>

export const runnerListSchema = z.object({
  at: isoTime,
  runners: z.array(runnerSchema),
  /** Written by a newer version: they are there, count as capacity, and nobody touches them. */
  unreadable: z.array(unreadableRunnerSchema).default([]),
})
export type RunnerList = z.output<typeof runnerListSchema>

const endedRunners = 10
const endedRunnersMax = 200

/** `?ended=20`: so many that ended lately stand after those that live. */
export const runnerQuerySchema = z.strictObject({
  ended: z.coerce.number().int().min(0).max(endedRunnersMax).default(endedRunners),
})
