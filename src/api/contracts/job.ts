import { z } from 'zod'
import { jobStandings, jobStates, priorities } from '../../domain/job/index.ts'
import { reachSchema } from './reach.ts'
import { sinceSchema } from './since.ts'
import { isoTime } from './time.ts'

/** A job as lists show it. */
export const jobSummarySchema = z.object({
  id: z.int(),
  installation: z.string(),
  forgeJobId: z.int(),
  runId: z.int(),
  runAttempt: z.int(),
  repository: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  pool: z.string().nullable(),
  priority: z.enum(priorities),
  state: z.enum(jobStates),
  /** In one word how it ended: the forge's conclusion, or `lost`; null while it is open. */
  outcome: z.string().nullable(),
  /** The forge's own conclusion, also of a job that is lost; null while it is open, or where the forge gave none. */
  conclusion: z.string().nullable(),
  /** The runner that the forge says runs or ran it, by the name that lists of runners show. */
  runner: z.string().nullable(),
  /** The same by the name of its registration at the forge. */
  executor: z.string().nullable(),
  quarantine: z.string().nullable(),
  /** Shown in place of the state where it is not null. */
  reach: reachSchema,
  requeues: z.int(),
  mintFailures: z.int(),
  /** Since when it waits, and whose clock says so. */
  waitingSince: isoTime,
  waitingSinceSource: z.enum(['forge', 'ledger']),
  seenAt: isoTime,
  /** Not handed out before this time, where it backs off. */
  notBefore: isoTime,
  forgeQueuedAt: isoTime.nullable(),
  forgeStartedAt: isoTime.nullable(),
  forgeCompletedAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
})
export type JobSummary = z.output<typeof jobSummarySchema>

/** A job whose row only a newer version can read. */
const unreadableJobSchema = z.object({
  id: z.int(),
  installation: z.string(),
  repository: z.string(),
  name: z.string(),
  /** The part that cannot be read. */
  why: z.string(),
})
export type ApiUnreadableJob = z.output<typeof unreadableJobSchema>

export const jobListSchema = z.object({
  /** When the ledger was read, by the ledger's clock. */
  at: isoTime,
  jobs: z.array(jobSummarySchema),
  /** Written by a newer version: they are there, in states that may be among those asked for, and nobody touches them. */
  unreadable: z.array(unreadableJobSchema).default([]),
  /** How many there are for this question, on all pages; at least so many where it is not exact. */
  total: z.int(),
  isTotalExact: z.boolean(),
  /** The cursor of the next page; null: this is the last one. */
  next: z.string().nullable(),
})
export type JobList = z.output<typeof jobListSchema>

/** Most rows that one answer holds; a fleet's open jobs fit, its history does not. */
export const jobsLimitMax = 500
const jobsLimit = 50

const wordsMax = 20
const wordLengthMax = 200
const words = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.string().min(1).max(wordLengthMax)).min(1).max(wordsMax))

/** As an answer gave it: the rank and the number of the last job of the page. */
const cursorSchema = z
  .string()
  .regex(/^[0-3]\.\d{1,15}$/, 'expected a cursor as an answer gave it in "next"')
  .transform((text) => {
    const [rank = 0, id = 0] = text.split('.').map(Number)
    return { rank, id }
  })

/**
 * `?state=queued,quarantined&repository=acme/web&pool=linux&label=gpu&since=24h&outcome=failure,lost&order=attention&limit=20`,
 * and with `cursor` what comes behind; `unreachable=true`: only queued ones out of reach.
 */
export const jobQuerySchema = z.strictObject({
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(jobStandings)).min(1))
    .optional(),
  repository: z.string().min(1).max(200).optional(),
  pool: z.string().min(1).max(wordLengthMax).optional(),
  label: words.optional(),
  since: sinceSchema.optional(),
  outcome: words.optional(),
  order: z.enum(['newest', 'attention']).default('newest'),
  cursor: cursorSchema.optional(),
  unreachable: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  limit: z.coerce.number().int().min(1).max(jobsLimitMax).default(jobsLimit),
})
export type JobQuery = z.output<typeof jobQuerySchema>

export const releaseAnswerSchema = z.object({ released: z.literal(true), job: z.int() })
export type ReleaseAnswer = z.output<typeof releaseAnswerSchema>
