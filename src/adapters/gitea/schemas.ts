import { z } from 'zod'
import { giteaIdStep } from '../../domain/forge/index.ts'
import { isRepositoryName } from '../../domain/job/index.ts'

const id = z.int().positive()
/** Gitea's id and the attempt must fit into one number. */
const jobId = z
  .int()
  .min(1)
  .max(giteaIdStep - 1)
/** Times are parsed later: an invalid one does not invalidate the job. */
const time = z.unknown().optional()

/** The fields that we read of Gitea's answers; all others may be anything. */
export const runnerSchema = z.object({ id, name: z.string(), status: z.string() })
export const listedRunnerSchema = runnerSchema.extend({
  labels: z.array(z.object({ name: z.string() })).nullish(),
  version: z.string().nullish().catch(null),
})
export const organisationSchema = z.object({ id, username: z.string().min(1) })

/** A job, alike in the API and in webhooks. `waiting`: what it needs is not done, or its concurrency group is taken. */
export const jobSchema = z.object({
  id: jobId,
  run_id: id,
  /** The number of times that a runner got this job so far: 0 before the first. */
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

/** A job with the fields that explain its end; older releases have fewer. */
export const jobDetailSchema = jobSchema.extend({
  html_url: z.string().nullish().catch(null),
  head_sha: z.string().nullish().catch(null),
  steps: z
    .array(
      z.object({
        number: z.int(),
        name: z.string(),
        status: z.string(),
        conclusion: z.string().nullish(),
        started_at: time,
        completed_at: time,
      }),
    )
    .nullish()
    .catch(null),
})
export type GiteaJobDetail = z.infer<typeof jobDetailSchema>

export const runSchema = z.object({
  id,
  status: z.string(),
  completed_at: z.string().nullish(),
  url: z.string(),
})

/** The origin of a run's code; an invalid field leaves it unknown. */
export const runOriginSchema = z.object({
  event: z.string().nullish().catch(null),
  repository: z.object({ id, private: z.boolean().optional() }).nullish().catch(null),
  pull_requests: z
    .array(z.object({ head: z.object({ repo: z.object({ id }) }) }))
    .nullish()
    .catch(null),
})

/** The commit of a run. */
export const runHeadSchema = z.object({
  id,
  status: z.string().nullish(),
  head_branch: z.string().nullish(),
  head_sha: z.string().nullish(),
})
export const runHeadListSchema = z.object({ workflow_runs: z.array(runHeadSchema).nullish() })

export const repositorySchema = z.object({
  id,
  /** Without a default: where absent, visibility is unknown. */
  private: z.boolean().optional().catch(undefined),
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
