import type { DiskHeadroomBoard } from '../../controllers/ledger/disk/index.ts'
import type { Secrets } from '../../platform/config/index.ts'
import type { TrackedTasks } from '../../platform/lifecycle/index.ts'
import type { ServedMetrics } from '../../platform/metrics/index.ts'
import type { Base } from '../base.ts'
import type { InstanceOwner } from '../instance/index.ts'

/** Everything that is there before the first part starts. */
export interface Program {
  readonly base: Base
  readonly metrics: ServedMetrics
  readonly tasks: TrackedTasks
  readonly secrets: () => Secrets
  readonly headroom: DiskHeadroomBoard
  /** Where it will serve; `url` is for a client on this machine. */
  readonly address: { readonly host: string; readonly port: number; readonly url: string }
  readonly owner: InstanceOwner | null
}
