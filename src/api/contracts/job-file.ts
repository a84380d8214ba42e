import { z } from 'zod'
import { attemptStates, endReasons } from '../../domain/attempt/index.ts'
import { deathClasses } from '../../domain/death/index.ts'
import { jobSummarySchema } from './job.ts'
import { facts, isoTime } from './time.ts'

const attemptSchema = z.object({
  id: z.int(),
  /** The attempt's runner, by the name that lists of runners show. */
  runnerName: z.string(),
  /** The name under which the forge knows it. */
  runner: z.string(),
  runnerId: z.int(),
  /** The job for which the runner was claimed at first; another one than this where the forge swapped them. */
  claimedJobId: z.int(),
  state: z.enum(attemptStates),
  claimedAt: isoTime,
  mintedAt: isoTime.nullable(),
  deliveredAt: isoTime.nullable(),
  acknowledgedAt: isoTime.nullable(),
  registeredAt: isoTime.nullable(),
  startedAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  endReason: z.enum(endReasons).nullable(),
  evidenceId: z.int().nullable(),
})
export type ApiAttempt = z.output<typeof attemptSchema>

const timelineRowSchema = z.object({
  id: z.int(),
  at: isoTime,
  subject: z.enum(['job', 'attempt', 'runner']),
  subjectId: z.int(),
  kind: z.string(),
  source: z.string(),
  rule: z.string().nullable(),
  facts,
  /** The row in words. */
  sentence: z.string(),
})
export type ApiTimelineRow = z.output<typeof timelineRowSchema>

export const decisionSchema = z.object({
  id: z.int(),
  at: isoTime,
  rule: z.string(),
  /** Why there is such a rule; null where this program does not know the rule. */
  why: z.string().nullable(),
  attemptId: z.int().nullable(),
  runnerId: z.int().nullable(),
  facts,
  actions: z.array(facts),
  outcome: z.string().nullable(),
})
export type ApiDecision = z.output<typeof decisionSchema>

/** A runner's death record without its samples and log tail. */
const deathSchema = z.object({
  class: z.enum(deathClasses),
  confidence: z.enum(['proven', 'likely', 'unknown']),
  because: z.array(z.string()),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** Processes of the runner that the kernel killed at the memory limit; null where it could not be read. */
  oomKills: z.int().nullable(),
})
export type ApiDeath = z.output<typeof deathSchema>

const evidenceSchema = z.object({
  id: z.int(),
  kind: z.enum(['forge-word', 'never-registered', 'retired', 'runner-death']),
  runnerId: z.int().nullable(),
  sealedAt: isoTime,
  record: facts,
  sentence: z.string(),
})
export type ApiEvidence = z.output<typeof evidenceSchema>

/** All that is known about one job. */
export const jobFileSchema = z.object({
  at: isoTime,
  job: jobSummarySchema,
  /** How the runner of its newest attempt ended, where that is on record. */
  death: deathSchema.nullable(),
  attempts: z.array(attemptSchema),
  timeline: z.array(timelineRowSchema),
  decisions: z.array(decisionSchema),
  evidence: z.array(evidenceSchema),
  archived: z.boolean(),
})
export type ApiJobFile = z.output<typeof jobFileSchema>
