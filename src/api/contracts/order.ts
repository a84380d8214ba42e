import { z } from 'zod'

/** What an operator may ask of the forge about one job. */
export const orders = ['rerun', 'rerun-failed', 'cancel'] as const
export type Order = (typeof orders)[number]

/** The forge agreed. What it then does is heard as everything else that it tells. */
export const orderAnswerSchema = z.object({
  order: z.enum(orders),
  job: z.int(),
  run: z.int(),
  repository: z.string(),
  name: z.string(),
})
export type OrderDone = z.output<typeof orderAnswerSchema>

/** `?failed=true`: all jobs of its run that failed. */
export const rerunQuerySchema = z.strictObject({
  failed: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})
