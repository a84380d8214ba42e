import type { Instant } from '../../src/domain/time.ts'
import type { ForgeCore } from '../forge/core/index.ts'

/** Since when the forge's truth has this process at work on a job that is not over; null: it is not. */
export function workingSince(core: ForgeCore, owner: string): Instant | null {
  const { runners } = core.truth()
  const at = runners.find(
    ({ jobId, connects }) => jobId !== null && connects.some((one) => one.accepted && one.owner === owner),
  )
  return at?.jobId == null ? null : (core.job(at.jobId)?.startedAt ?? Number.POSITIVE_INFINITY)
}
