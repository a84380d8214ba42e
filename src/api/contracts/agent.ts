import { z } from 'zod'

/** Bounds of one push; with them a ring has at most some 250 KB. */
const samplesMax = 200
const oomLinesMax = 100
const lineCharsMax = 2_000
const missingMax = 50
const missingCharsMax = 500
/** Nobody writes years in milliseconds beyond this; Postgres takes no later ones either. */
const latestAt = 8_640_000_000_000_000

const name = z
  .string()
  .max(253)
  .regex(/^[\x21-\x7e]+$/, 'expected a name of printable characters without spaces')
const instant = z.int().min(0).max(latestAt)
const amount = z.number().min(0).nullable()

/** Fields of a newer agent are left out, not refused: whatever is upgraded first, no ring is lost. */
const sample = z.object({
  at: instant,
  memoryBytes: amount,
  memoryLimitBytes: amount,
  oomKills: amount,
  cpuMs: amount,
  throttledMs: amount,
  processes: amount,
  memoryPressure: amount,
  cpuPressure: amount,
  ioPressure: amount,
  nodeMemoryFreeBytes: amount,
  nodeFilesOpen: amount,
  nodeFilesMax: amount,
  nodeDiskFreeBytes: amount,
  nodeInodesFree: amount,
  nodeConntrack: amount,
  nodeConntrackMax: amount,
  processesMax: amount.optional(),
  forksRefused: amount.optional(),
})

/** `POST /v1/agent/rings`: what an agent saw of one pod; the agent's token is the bearer token. */
export const ringPushSchema = z.strictObject({
  podUid: name,
  node: name,
  samples: z.array(sample).max(samplesMax),
  oomLines: z.array(z.strictObject({ at: instant, line: z.string().max(lineCharsMax) })).max(oomLinesMax),
  endedAt: instant.nullable(),
  lastSampleAgeMs: amount,
  missing: z.array(z.string().max(missingCharsMax)).max(missingMax),
})

/** 202. `older`: a newer one was there before, and stays. 409: the pod, or the agent's token, is of another node. */
const ringAnswerSchema = z.object({ kind: z.enum(['kept', 'older']) })
export type RingAnswer = z.output<typeof ringAnswerSchema>
