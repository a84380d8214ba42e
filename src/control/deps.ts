import type { SharedBudget } from '../budget/index.ts'
import type { DiskHeadroomBoard } from '../controllers/ledger/disk/index.ts'
import type { ReapSource } from '../controllers/remedy/reap/index.ts'
import type { RecoveryBounds } from '../domain/recovery/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeclaredPools } from '../ports/declared-pools.ts'
import type { Disk } from '../ports/disk.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Forge } from '../ports/forge.ts'
import type { ForgeDeliveries } from '../ports/forge-deliveries.ts'
import type { Leader, Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RecordSink } from '../ports/record-sink.ts'
import type { RunnerHost } from '../ports/runner-host.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import type { RedeliveryMemory } from '../recovery/index.ts'

export interface ControlSettings {
  /** Name of the forge installation whose jobs are served. */
  readonly installation: string
  readonly recoveryTickMs: number
  readonly redeliverEveryMs: number
  readonly auditEveryMs: number
  /** From a runner's registration to its job's start, before the forge is asked. */
  readonly startDeadlineMs: number
  /** Between asking a runner to stop and ending it. */
  readonly stopGraceMs: number
  /** How often the host and the ledger are resynced, besides their changes; by the kind of host unless given. */
  readonly resyncEveryMs?: number
  /** How long a runner that the ledger does not count on is left before it may be removed. */
  readonly strayGraceMs?: number
  /** How much recovery may do in an hour that cannot be taken back; the table's own unless said. */
  readonly bounds?: RecoveryBounds
  readonly archiveAfterMs: number
  readonly keepMs: number
}

/** Every effect that the control loops have, behind a port. */
export interface ControlDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: Ledger
  readonly forge: Forge
  /** The forge's list of its webhooks; null: it keeps none. */
  readonly deliveries: ForgeDeliveries | null
  readonly budget: SharedBudget
  /** The state of the redelivery loop; shared by the loop and audits on demand. */
  readonly redelivery: RedeliveryMemory
  readonly host: RunnerHost
  /** Null where runners prove who they are by what their host gives them. */
  readonly secrets: Secrets | null
  /** In whose name this process acts for the fleet; null where no other process could. */
  readonly leader: () => Leader | null
  /** Where people declare pools; null where they stand in the configuration. */
  readonly pools?: DeclaredPools | null
  /** Where death records are written in addition to the ledger; null or absent: nowhere. */
  readonly sink?: RecordSink | null
  /** The disk of a ledger on this machine; null or absent: it is elsewhere. */
  readonly disk?: { readonly disk: Disk; readonly headroom: DiskHeadroomBoard } | null
  /** Idle runners of ARC that are reaped by the leader; null or absent: none are. */
  readonly reap?: ReapSource | null
  readonly webhooks: Webhooks
  readonly metrics: Metrics
  readonly log: Log
  readonly settings: ControlSettings
}
