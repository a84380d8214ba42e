import { z } from 'zod'
import { isRepositoryName } from '../../domain/job/index.ts'

const runAttemptMax = 2 ** 31 - 1
const id = z.int().positive()
/** Postgres stores no text with a NUL. */
const text = z.string().refine((given) => !given.includes('\0'), 'expected text without NUL')
/** Times are parsed later: an invalid one does not invalidate the job. */
const time = z.unknown().optional()

/** The fields that we read of GitHub's answers; all others may be anything. */
export const runnerSchema = z.object({
  id,
  name: z.string(),
  status: z.string(),
  busy: z.boolean(),
})

/** A runner of a list, with the fields that snapshots keep. */
export const listedRunnerSchema = runnerSchema.extend({
  labels: z.array(z.object({ name: z.string() })).default([]),
  version: z.string().nullish(),
})

export const mintedSchema = z.object({
  runner: z.object({ id }),
  encoded_jit_config: z.string().min(1),
})

/** A job, alike in the API and in webhooks. `waiting`, `pending` and `requested` come before `queued`. */
export const jobSchema = z.object({
  id,
  run_id: id,
  run_attempt: z.int().min(1).max(runAttemptMax).default(1),
  name: text,
  workflow_name: text.nullish(),
  /** GitHub has been seen to send null as a label. */
  labels: z.array(text.nullable()).transform((labels) => labels.filter((label) => label !== null)),
  status: z.enum(['queued', 'in_progress', 'completed', 'waiting', 'pending', 'requested']),
  conclusion: text.nullable(),
  runner_name: text.nullish(),
  /** Contains the present name of the repository. */
  url: z.string().nullish().catch(null),
  created_at: time,
  started_at: time,
  completed_at: time,
})
export type GitHubJob = z.infer<typeof jobSchema>

/** A step; one that is not as documented leaves the others. */
const stepSchema = z.object({
  number: z.int(),
  name: text,
  status: text,
  conclusion: text.nullish(),
  started_at: time,
  completed_at: time,
})
export type GitHubStep = z.infer<typeof stepSchema>

/** A job with the fields that explain its end. */
export const jobDetailSchema = jobSchema.extend({
  run_url: z.string().nullish().catch(null),
  html_url: z.string().nullish().catch(null),
  head_sha: text.nullish(),
  runner_id: z.int().nullish(),
  steps: z
    .array(stepSchema.nullable().catch(null))
    .transform((steps) => steps.filter((step) => step !== null))
    .optional(),
})

export type GitHubJobDetail = z.infer<typeof jobDetailSchema>

/** An annotation of a check run. */
export const annotationSchema = z.object({
  annotation_level: z.string().nullish(),
  title: z.string().nullish(),
  message: z.string().nullish(),
})

export const repositorySchema = z.object({
  id,
  full_name: text.refine(isRepositoryName, 'expected owner/name'),
  private: z.boolean().default(true),
  /** Sent to tokens only; where absent we assume that we may. */
  permissions: z.object({ admin: z.boolean().default(true) }).default({ admin: true }),
  owner: z.object({ type: z.string() }).nullish().catch(null),
})
export const ownerSchema = z.object({ id, login: z.string() })
export const ownedSchema = z.object({ owner: z.object({ type: z.string() }) })
/** An invalid repository leaves a run's origin unknown: a pool that requires one waits. */
const ofRun = z.object({ id, private: z.boolean().optional() }).nullish().catch(null)
export const runSchema = z.object({
  id,
  status: z.string().nullish(),
  created_at: z.string().default(''),
  repository: ofRun,
  /** Where its commits are; none where a fork was deleted. */
  head_repository: ofRun,
})
export type GitHubRun = z.infer<typeof runSchema>
/** The commit of a run. Times are all of one form, and are compared as texts. */
export const runHeadSchema = z.object({
  id,
  status: z.string().nullish(),
  created_at: z.string().default(''),
  head_branch: z.string().nullish(),
  head_sha: z.string().nullish(),
  head_repository: z.object({ id }).nullish(),
})
export const runHeadListSchema = z.object({ workflow_runs: z.array(runHeadSchema) })

export const messageSchema = z.object({ message: z.string() })

/** The rate limit of the REST API. */
export const rateLimitSchema = z.object({
  resources: z.object({ core: z.object({ limit: z.int(), remaining: z.int(), reset: z.int() }) }),
})

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
  /** A text where the number exceeds JavaScript's safe integers. */
  id: z.union([id, z.string().regex(/^\d{1,20}$/)]),
  guid: z.string().min(1),
  event: z.string(),
  delivered_at: z.iso.datetime({ offset: true }),
  status_code: z.int(),
})
