import { z } from 'zod'
import { deathClasses } from '../../domain/death/index.ts'
import { isoTime } from './time.ts'

/** Who says something. Only `log` is written by what a job runs: it may lie. */
export const explainSources = ['ledger', 'forge', 'kubelet', 'cluster', 'host', 'agent', 'log'] as const
export type ExplainSource = (typeof explainSources)[number]

const source = z.enum(explainSources)

export const verdictSchema = z.object({
  class: z.enum(deathClasses),
  confidence: z.enum(['proven', 'likely', 'unknown']),
  rule: z.string(),
  /** The class in words. */
  sentence: z.string(),
  because: z.array(z.string()),
})
export type ApiVerdict = z.output<typeof verdictSchema>

/** How a runner ended, joined from all that is known of it. */
export const explanationSchema = z.object({
  /** When it was read: ages count from here. */
  at: isoTime,
  /** What was asked about, and as what it was understood. */
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
  /** Where it stands, in a sentence. */
  standing: z.string(),
  /** Judged now; null where nothing has ended, or nothing is known of the end. */
  verdict: verdictSchema.nullable(),
  /** Whether the verdict says what happened: neither `unknown` nor `vanished`. */
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
  /** What Holdfast decided and what came of it. */
  did: z.array(
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

/** What can be asked about is short: a URL at most. */
export const explainSubjectSchema = z.string().trim().min(1).max(500)
