import { z } from 'zod'
import { isoTime } from './time.ts'

/** A pool, what waits for it and who serves it. */
export const poolStatusSchema = z.object({
  name: z.string(),
  labels: z.array(z.string()),
  maxRunners: z.int(),
  queued: z.int(),
  oldestWaitMs: z.number(),
  /** Live runners. */
  live: z.int(),
  idle: z.int(),
  busy: z.int(),
})
export type ApiPool = z.output<typeof poolStatusSchema>

/** `GET /v1/pools`. */
export const poolListSchema = z.object({ at: isoTime, pools: z.array(poolStatusSchema) })
export type PoolList = z.output<typeof poolListSchema>
