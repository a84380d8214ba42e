import { z } from 'zod'

const id = z.int().positive()

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
  run_attempt: z.int().min(1).default(1),
  name: z.string(),
  labels: z.array(z.string()),
  status: z.enum(['queued', 'in_progress', 'completed', 'waiting', 'pending', 'requested']),
  conclusion: z.string().nullable(),
  runner_name: z.string().nullish(),
  created_at: z.iso.datetime({ offset: true }).nullish(),
  started_at: z.iso.datetime({ offset: true }).nullish(),
  completed_at: z.iso.datetime({ offset: true }).nullish(),
})
export type GitHubJob = z.infer<typeof jobSchema>

export const repositorySchema = z.object({ id, full_name: z.string().regex(/^[^/]+\/[^/]+$/) })
export const runSchema = z.object({ id })
export const messageSchema = z.object({ message: z.string() })
