import { z } from 'zod'
import { attemptsSchema } from './attempts.ts'
import { findingSchema, unjudgedSchema } from './audit.ts'
import { explanationSchema, jobVerdictSchema } from './explain.ts'
import { isoTime } from './time.ts'
import { caseTimelineSchema } from './timeline.ts'

const caseSchema = z.object({
  title: z.string(),
  /** The state of the job or runner, in a sentence. */
  state: z.string(),
  /** Entries of the troubleshooting guide that apply to it. */
  entries: z.array(z.object({ entry: z.string(), question: z.string(), audit: z.string().nullable() })),
  /** Why the job failed; null where it did not. */
  jobVerdict: jobVerdictSchema.nullable(),
  /** All attempts of the job side by side; null where it had only one. */
  attempts: attemptsSchema.nullable(),
  /** Findings that bear on it, worst first. */
  findings: z.array(findingSchema),
  unjudged: z.array(unjudgedSchema),
  ruledOut: z.array(z.string()),
  unknown: z.array(z.string()),
  nextSteps: z.array(z.string()),
  timeline: caseTimelineSchema,
  isReached: z.boolean(),
})
export type ApiTriageCase = z.output<typeof caseSchema>

/** The answer of `holdfast triage --json`. */
export const triageReportSchema = z.object({
  version: z.literal(1),
  at: isoTime,
  asked: z.string(),
  /** Where the answer comes from: Holdfast's own ledger, a log alone, or the facts of cluster and forge. */
  answeredBy: z.enum(['ledger', 'log', 'snapshot']),
  /** Of the ledger or the log; null where facts answered. */
  explanation: explanationSchema.nullable(),
  /** When the facts were read; null where none were. */
  factsAt: isoTime.nullable(),
  /** One for each job of a run. */
  cases: z.array(caseSchema),
  /** Whether something says what happened, of each case. */
  isReached: z.boolean(),
})
export type TriageReport = z.output<typeof triageReportSchema>
