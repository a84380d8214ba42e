import { z } from 'zod'
import { hostKinds } from '../../ports/ledger.ts'
import { isoTime } from './time.ts'

/** A machine or a cluster that runs runners, as the ledger knows it. */
const hostSchema = z.object({
  id: z.string(),
  kind: z.enum(hostKinds),
  /** `lost`: silent for too long, its runners are being given up; `ended`: none of them is left. */
  state: z.enum(['live', 'lost', 'ended']),
  firstSeenAt: isoTime,
  heartbeatAt: isoTime,
  heartbeatAgeMs: z.int(),
  endedAt: isoTime.nullable(),
  liveRunners: z.int(),
})
export type ApiHost = z.output<typeof hostSchema>

export const hostListSchema = z.object({ at: isoTime, hosts: z.array(hostSchema) })
export type HostList = z.output<typeof hostListSchema>
