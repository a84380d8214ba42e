import { z } from 'zod'
import { isRepositoryName } from '../../domain/job/index.ts'
import { PER_TIME } from './per-time.ts'

const id = z.int().positive()
/** Its own id and which time it runs must fit into one number. */
const jobId = z
  .int()
  .min(1)
  .max(PER_TIME - 1)
/** What cannot be a time is not told: the job counts, not when it was. */
const time = z.unknown().optional()

/** What we read of Gitea's answers; what we do not read may be anything. */
export const runnerSchema = z.object({ id, name: z.string(), status: z.string() })

/** A job, alike in the API and in webhooks. `waiting`: what it needs is not done, or its concurrency group is taken. */
export const jobSchema = z.object({
  id: jobId,
  run_id: id,
  /** How often a runner was given this job so far: 0 before the first time. */
  run_attempt: z.int().min(0),
  name: z.string(),
  labels: z.array(z.string()).nullable(),
  status: z.enum(['queued', 'waiting', 'in_progress', 'completed']),
  conclusion: z.string().nullish(),
  runner_id: z.int().min(0).nullish(),
  runner_name: z.string().nullish(),
  created_at: time,
  started_at: time,
  completed_at: time,
  /** `…/api/v1/repos/{owner}/{name}/actions/jobs/{id}`: lists over the instance say only here whose job it is. */
  url: z.string(),
})
export type GiteaJob = z.infer<typeof jobSchema>

export const runSchema = z.object({
  id,
  status: z.string(),
  completed_at: z.string().nullish(),
  url: z.string(),
})

export const repositorySchema = z.object({
  id,
  full_name: z.string().refine(isRepositoryName, 'expected owner/name'),
  has_actions: z.boolean().default(true),
  permissions: z.object({ admin: z.boolean() }).nullish(),
})

export const registrationSchema = z.object({ token: z.string().min(1) })

/** The runner service writes 64-bit numbers as text. */
export const registeredSchema = z.object({
  runner: z.object({
    id: z.coerce.number().int().positive(),
    uuid: z.string().min(1),
    token: z.string().min(1),
    name: z.string(),
  }),
})

export const messageSchema = z.object({ message: z.string() })
