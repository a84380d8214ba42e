import { z } from 'zod'
import { incidentKinds } from '../../domain/incident/index.ts'

/** Why no runner of ours can be given a queued job, and what to do; null: it is in reach. */
export const reachSchema = z
  .object({
    kind: z.enum(['label-without-pool', 'installation-not-served', ...incidentKinds]),
    sentence: z.string(),
    todo: z.string(),
  })
  .nullable()
export type ApiReach = z.output<typeof reachSchema>
