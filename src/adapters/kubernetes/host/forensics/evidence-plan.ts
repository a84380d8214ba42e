import type { EvidencePlan } from '../../../../domain/pool/index.ts'
import type { HostContext } from '../context.ts'

/** For a pod whose pool is gone. */
const evidenceDefault: EvidencePlan = { tailLines: 200, tailBytes: 64 * 1024, deadlineMs: 60_000 }

/** How much of a runner's end is kept, and how long that may take. */
export function evidenceOf({ plan }: Pick<HostContext, 'plan'>, pool: string): EvidencePlan {
  return plan(pool)?.evidence ?? evidenceDefault
}
