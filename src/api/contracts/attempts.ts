import { z } from 'zod'
import { jobFailureClasses } from '../../domain/job-failure/index.ts'
import { attemptOutcomes } from '../../domain/run-attempt/index.ts'
import { isoTime } from './time.ts'

const attemptSchema = z.object({
  number: z.int(),
  forgeJobId: z.int(),
  commit: z.string().nullable(),
  runner: z.string().nullable(),
  node: z.string().nullable(),
  status: z.string(),
  conclusion: z.string().nullable(),
  /** The step that failed; null where none did, or none is known. */
  step: z.string().nullable(),
  verdict: z.object({ class: z.enum(jobFailureClasses), confidence: z.string() }).nullable(),
  /** Copied from an earlier attempt: it was not run again. */
  isCarriedOver: z.boolean(),
  startedAt: isoTime.nullable(),
  completedAt: isoTime.nullable(),
})

/** The attempts of one job of a run side by side, oldest first. */
export const attemptsSchema = z.object({
  attempts: z.array(attemptSchema),
  outcome: z.enum(attemptOutcomes),
  /** The outcome in words. */
  sentence: z.string(),
  mustNotConclude: z.array(z.string()),
})
export type ApiAttempts = z.output<typeof attemptsSchema>
