import { z } from 'zod'
import { isRepositoryName } from '../../domain/job/index.ts'

const RUN_ATTEMPT_MAX = 2 ** 31 - 1
const id = z.int().positive()
/** No ledger keeps a text with a NUL in it, and no forge sends one in earnest. */
const text = z.string().refine((given) => !given.includes('\0'), 'expected text without NUL')
/** Times are judged apart: one that makes no sense does not make the job untold. */
const time = z.unknown().optional()

/** What we read of GitHub's answers; what we do not read may be anything. */
export const runnerSchema = z.object({
  id,
  name: z.string(),
  status: z.string(),
  busy: z.boolean(),
})

export const mintedSchema = z.object({
  runner: z.object({ id }),
  encoded_jit_config: z.string().min(1),
})

/** A job, alike in the API and in webhooks. `waiting`, `pending` and `requested` come before `queued`. */
export const jobSchema = z.object({
  id,
  run_id: id,
  run_attempt: z.int().min(1).max(RUN_ATTEMPT_MAX).default(1),
  name: text,
  workflow_name: text.nullish(),
  /** GitHub has been seen to send a label that is none. */
  labels: z.array(text.nullable()).transform((labels) => labels.filter((label) => label !== null)),
  status: z.enum(['queued', 'in_progress', 'completed', 'waiting', 'pending', 'requested']),
  conclusion: text.nullable(),
  runner_name: text.nullish(),
  /** Names the repository as it is called now. */
  url: z.string().nullish().catch(null),
  created_at: time,
  started_at: time,
  completed_at: time,
})
export type GitHubJob = z.infer<typeof jobSchema>

export const repositorySchema = z.object({
  id,
  full_name: text.refine(isRepositoryName, 'expected owner/name'),
  private: z.boolean().default(true),
  /** Only a token is told; without it nothing is known against us. */
  permissions: z.object({ admin: z.boolean().default(true) }).default({ admin: true }),
})
export const ownerSchema = z.object({ id, login: z.string() })
export const ownedSchema = z.object({ owner: z.object({ type: z.string() }) })
export const runSchema = z.object({ id, status: z.string().nullish(), created_at: z.string().default('') })
export type GitHubRun = z.infer<typeof runSchema>
export const messageSchema = z.object({ message: z.string() })

export const tokenSchema = z.object({
  token: z.string().min(1),
  expires_at: z.iso.datetime({ offset: true }),
})
export const installationSchema = z.object({
  id,
  /** None where the account is gone and the installation is not yet. */
  account: z.union([z.object({ login: z.string() }), z.object({ slug: z.string() })]).nullish(),
  suspended_at: z.string().nullish(),
})

export const runnerGroupSchema = z.object({
  id,
  name: z.string(),
  visibility: z.string(),
  allows_public_repositories: z.boolean().default(false),
})
export type RunnerGroup = z.infer<typeof runnerGroupSchema>

export const hookSchema = z.object({ id, config: z.object({ url: z.string().optional() }) })
export const deliverySchema = z.object({
  /** A text where the number is longer than JavaScript's numbers are exact. */
  id: z.union([id, z.string().regex(/^\d{1,20}$/)]),
  guid: z.string().min(1),
  event: z.string(),
  delivered_at: z.iso.datetime({ offset: true }),
  status_code: z.int(),
})
