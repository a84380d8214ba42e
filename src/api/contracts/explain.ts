import { z } from 'zod'
import { deathClasses } from '../../domain/death/index.ts'
import { jobFailureClasses } from '../../domain/job-failure/index.ts'
import { timelineSources } from '../../domain/timeline/index.ts'
import { attemptsSchema } from './attempts.ts'
import { isoTime } from './time.ts'

const source = z.enum(timelineSources)
export type ExplainSource = z.output<typeof source>

const verdictSchema = z.object({
  class: z.enum(deathClasses),
  confidence: z.enum(['proven', 'likely', 'unknown']),
  rule: z.string(),
  /** The class in words. */
  sentence: z.string(),
  because: z.array(z.string()),
})
export type ApiVerdict = z.output<typeof verdictSchema>

export const jobVerdictSchema = verdictSchema.extend({
  class: z.enum(jobFailureClasses),
  /** The step that failed; null where none is known. */
  step: z.string().nullable(),
})
export type ApiJobVerdict = z.output<typeof jobVerdictSchema>

/** How a runner ended, joined from all that is known of it. */
export const explanationSchema = z.object({
  /** When it was read: ages count from here. */
  at: isoTime,
  /** The subject as it was asked for, and as it was understood. */
  subject: z.object({ asked: z.string(), kind: z.enum(['job', 'runner', 'pod', 'log']), title: z.string() }),
  job: z
    .object({
      /** Our number; null where the job is none of ours. */
      id: z.int().nullable(),
      /** As the forge names it. */
      forge: z.string(),
      repository: z.string(),
      name: z.string(),
      state: z.string(),
      /** The forge's own word where it was asked just now, because the job is none of ours. */
      said: z
        .object({
          forgeJobId: z.int(),
          status: z.string(),
          conclusion: z.string().nullable(),
          startedAt: isoTime.nullable(),
          completedAt: isoTime.nullable(),
        })
        .nullable(),
    })
    .nullable(),
  runner: z.object({ name: z.string(), pool: z.string().nullable(), state: z.string() }).nullable(),
  pod: z
    .object({ namespace: z.string(), pod: z.string(), uid: z.string(), node: z.string().nullable() })
    .nullable(),
  /** The subject's state in a sentence. */
  summary: z.string(),
  /** Why the job failed, where it did: its own doing or not; null where it did not, or is not over. */
  jobVerdict: jobVerdictSchema.nullable(),
  /** All attempts of the job side by side; null where it had only one, or the forge was not asked. */
  attempts: attemptsSchema.nullable().default(null),
  /** Of the runner, judged now; null where nothing has ended, or nothing is known of the end. */
  verdict: verdictSchema.nullable(),
  /** Whether one of the verdicts says what happened: neither `unknown` nor `vanished`. */
  isReached: z.boolean(),
  /** The verdict as it was sealed; null where no record is. */
  sealed: verdictSchema.extend({ at: isoTime, isComplete: z.boolean() }).nullable(),
  /** Whether what came later, or a newer rule, says something else than what was sealed. */
  isChanged: z.boolean(),
  evidence: z.array(z.object({ source, at: isoTime.nullable(), text: z.string() })),
  ruledOut: z.array(z.string()),
  unknown: z.array(z.string()),
  timeline: z.array(z.object({ source, at: isoTime, text: z.string() })),
  /** Older rows of the timeline that were left out. */
  leftOut: z.int(),
  /** Holdfast's decisions with their outcomes. */
  actionsTaken: z.array(
    z.object({
      at: isoTime,
      rule: z.string(),
      text: z.string(),
      why: z.string().nullable(),
      /** So often the same was decided, until this time. */
      count: z.int(),
      lastAt: isoTime,
    }),
  ),
  nextSteps: z.array(z.string()),
  /** The newest output, masked. Written by what the job ran: never proof. */
  tail: z.string(),
})
export type Explanation = z.output<typeof explanationSchema>

/** A subject is short: a URL at most. */
export const explainSubjectSchema = z.string().trim().min(1).max(500)
