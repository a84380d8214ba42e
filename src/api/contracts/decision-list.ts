import { z } from 'zod'
import { decisionSchema } from './job-file.ts'
import { sinceSchema } from './since.ts'
import { isoTime } from './time.ts'

const listedDecisionSchema = decisionSchema.extend({
  jobId: z.int().nullable(),
  repository: z.string().nullable(),
  /** By the name that lists of runners show. */
  runner: z.string().nullable(),
  pool: z.string().nullable(),
})
export type ApiListedDecision = z.output<typeof listedDecisionSchema>

export const decisionListSchema = z.object({
  at: isoTime,
  since: isoTime,
  /** Newest first. Those of archived jobs stand in the files of these. */
  decisions: z.array(listedDecisionSchema),
  /** There are more than the limit allows. */
  hasMore: z.boolean(),
  /** Rows that cannot be read, by their ids. */
  unreadable: z.array(z.int()),
})
export type DecisionList = z.output<typeof decisionListSchema>

export const decisionsLimitMax = 500
const decisionsLimit = 50

const name = z.string().min(1).max(253)

/** `?since=24h&job=7&runner=linux-1&rule=stale-queued&pool=linux&limit=20` */
export const decisionQuerySchema = z.strictObject({
  since: sinceSchema.prefault('24h'),
  job: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  runner: name.optional(),
  rule: name.optional(),
  pool: name.optional(),
  limit: z.coerce.number().int().min(1).max(decisionsLimitMax).default(decisionsLimit),
})
export type DecisionQuery = z.output<typeof decisionQuerySchema>
