import { z } from 'zod'
import {
  flag,
  instant,
  instantOrNull,
  listing,
  listOf,
  number,
  numberOrNull,
  text,
  textOrNull,
  texts,
} from './parts.ts'

const runner = z.object({
  scope: textOrNull,
  id: number,
  name: text,
  isOnline: flag,
  isBusy: flag,
  labels: texts,
  version: textOrNull,
})

const step = z.object({
  number,
  name: text,
  status: text,
  conclusion: textOrNull,
  startedAt: instantOrNull,
  completedAt: instantOrNull,
})

const annotation = z.object({ level: text, title: textOrNull, message: text })

const job = z.object({
  repository: text,
  runId: number,
  runAttempt: numberOrNull,
  jobId: number,
  name: text,
  workflow: textOrNull,
  status: text,
  conclusion: textOrNull,
  labels: texts,
  runnerName: textOrNull,
  runnerId: numberOrNull,
  headSha: textOrNull,
  queuedAt: instantOrNull,
  startedAt: instantOrNull,
  completedAt: instantOrNull,
  steps: listOf(step).nullable(),
  annotations: listOf(annotation).nullable(),
  url: textOrNull,
})

const log = z.object({ repository: text, jobId: number, lines: texts, isCut: flag })

const credential = z.object({
  credential: text,
  kind: z.enum(['app', 'personal-token', 'unknown']),
  at: instant,
})

/** A forge without a limit of calls says so. */
const budget = z.union([
  credential.extend({ limit: number, remaining: number, resetAt: instant }),
  credential.extend({ limit: z.null(), remaining: z.null(), resetAt: z.null() }),
])

export const forgeSchema = z.object({
  runners: listing(runner),
  jobs: listing(job),
  logs: listing(log),
  budgets: listing(budget),
})
