import { z } from 'zod'

/** As a path names an installation. */
export const installationSchema = z
  .string()
  .regex(/^[\w.:@/-]{1,100}$/, 'expected the name of an installation')

/** `?dryRun=true`: nothing is changed. */
export const retireQuerySchema = z.strictObject({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})

/** The rows of an installation that were closed, or with `dryRun` would be. */
export const retireAnswerSchema = z.object({
  installation: z.string(),
  dryRun: z.boolean(),
  /** Jobs that were open. */
  jobs: z.int(),
  /** Attempts of them that were open; each ends with this order as its evidence. */
  attempts: z.int(),
  /** Runners that live and held one of them: they end by themselves, or are stopped by recovery. */
  liveRunners: z.int(),
  /** Webhooks that waited. */
  deliveries: z.int(),
  incidents: z.int(),
  /** Jobs that could not be closed, with the reason; all others were. */
  failed: z.array(z.object({ job: z.int(), reason: z.string() })),
})
export type RetireAnswer = z.output<typeof retireAnswerSchema>
