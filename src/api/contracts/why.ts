import { z } from 'zod'
import { jobStates } from '../../domain/job/index.ts'
import { queueReasons } from '../../domain/queue/index.ts'
import { reachSchema } from './reach.ts'
import { isoTime } from './time.ts'

/** Why a job is still queued, with what the answer was read from. */
export const whySchema = z.object({
  at: isoTime,
  job: z.int(),
  state: z.enum(jobStates),
  reason: z.enum(queueReasons),
  sentence: z.string(),
  reach: reachSchema,
  behind: z.int(),
  ahead: z.array(z.object({ repository: z.string(), jobs: z.int() })),
  pool: z.string().nullable(),
  runners: z.object({ live: z.int(), idle: z.int(), max: z.int() }),
  caps: z.object({
    repository: z.object({ running: z.int(), cap: z.int().nullable() }),
    owner: z.object({ running: z.int(), cap: z.int().nullable() }),
  }),
  /** How long it has run on a runner of ours, and how long its pool lets a job run; null where that is not known. */
  run: z.object({ ranMs: z.number(), limitMs: z.number().nullable() }).nullable().optional(),
  hold: z.object({ key: z.string(), reason: z.string(), until: isoTime }).nullable(),
})
export type WhyAnswer = z.output<typeof whySchema>
