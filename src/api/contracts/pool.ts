import { z } from 'zod'
import { isoTime } from './time.ts'

/** A pool, what waits for it and who serves it. */
const poolStatusSchema = z.object({
  name: z.string(),
  labels: z.array(z.string()),
  /** Idle runners that it keeps ready, outside windows; older servers do not say it. */
  minRunners: z.int().default(0),
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
