import { z } from 'zod'

/** Orders that an operator may give to the forge about one job. */
const orders = ['rerun', 'rerun-failed', 'cancel'] as const
export type Order = (typeof orders)[number]

/** The forge accepted the order. Its effect arrives as job events, as any other change does. */
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
