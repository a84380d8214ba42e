import { z } from 'zod'
import { isoTime } from './time.ts'

/** How often resyncs ask the forge: as set, three times as seldom, or not at all until the budget is new. */
const resyncPaces = ['full', 'slow', 'stopped'] as const

/** The forge's rate limit and the calls that are left of it. */
const budgetSchema = z.object({
  limit: z.int(),
  remaining: z.int(),
  resetAt: isoTime,
  pace: z.enum(resyncPaces),
})
export type ApiBudget = z.output<typeof budgetSchema>

/** Something that the forge and the ledger did not agree on, and what was done about it. */
const differenceSchema = z.object({
  /** Our number; null where the job was not taken over. */
  job: z.int().nullable(),
  repository: z.string(),
  name: z.string(),
  forgeJobId: z.int(),
  /** The job's status at the forge, such as `completed (success)`. */
  forge: z.string(),
  /** The state that it had here, or `unknown`. */
  ledger: z.string(),
  rule: z.string(),
  done: z.string(),
})
export type ApiDifference = z.output<typeof differenceSchema>

/** The result of one comparison with the forge's own lists. */
export const resyncReportSchema = z.object({
  at: isoTime,
  /** Jobs that the forge listed. */
  compared: z.int(),
  /** Repositories and owners that the forge did not show: they are read from where they were left, once it does. */
  notCovered: z.array(z.string()).default([]),
  differences: z.array(differenceSchema),
  /** Repositories to whose jobs no runner of ours can be given. */
  unreachable: z.array(z.object({ repository: z.string(), incident: z.string(), reason: z.string() })),
  /** The forge's list of webhooks that it sent; null where this forge has none. */
  deliveries: z.object({ looked: z.int(), missing: z.int(), sentAgain: z.int(), gone: z.int() }).nullable(),
  budget: budgetSchema.nullable(),
  /** Why nothing was compared; null where it was. */
  putOff: z.string().nullable(),
})
export type ResyncReport = z.output<typeof resyncReportSchema>

/** How much the forge may be asked now. */
const allowanceSchema = z.object({
  /** Null where the forge has no limit, or has not reported it yet. */
  budget: budgetSchema.nullable(),
  /** Until when the forge asked us to be silent (its secondary limit); null: it did not. */
  pausedUntil: isoTime.nullable(),
})
export type ForgeAllowance = z.output<typeof allowanceSchema>

/** `GET /v1/forge`: which forge it is, and how much it may be asked. */
export const forgeStatusSchema = allowanceSchema.extend({
  at: isoTime,
  kind: z.string(),
  url: z.string(),
  installation: z.string(),
})
export type ForgeStatus = z.output<typeof forgeStatusSchema>
