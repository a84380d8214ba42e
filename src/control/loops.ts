import { budgetLoop, type SharedBudget } from '../budget/index.ts'
import { statusLoop } from '../controllers/declared-pool/status/index.ts'
import { syncLoop } from '../controllers/declared-pool/sync/index.ts'
import { heartbeatLoop } from '../controllers/host/heartbeat/index.ts'
import { clockLoop } from '../controllers/ledger/clock/index.ts'
import { commonCausesLoop } from '../controllers/ledger/common-causes/index.ts'
import { diskLoop, type RoomBoard } from '../controllers/ledger/disk/index.ts'
import { housekeepingLoop } from '../controllers/ledger/housekeeping/index.ts'
import { quarantineLoop } from '../controllers/ledger/quarantine/index.ts'
import { shipRecordsLoop } from '../controllers/ledger/ship-records/index.ts'
import { createNodeHealth } from '../controllers/node/health/index.ts'
import { rollLoop } from '../controllers/pool/roll/index.ts'
import { scaleLoop } from '../controllers/pool/scale/index.ts'
import { createTroubleBoard } from '../controllers/pool/trouble-board.ts'
import { lifecycleLoop } from '../controllers/runner/lifecycle/index.ts'
import { livenessLoop } from '../controllers/runner/liveness/index.ts'
import { protectLoop } from '../controllers/runner/protect/index.ts'
import { tellNobody } from '../controllers/tell.ts'
import { type RecoveryBounds, recoveryBounds } from '../domain/recovery/index.ts'
import { intakeLoop } from '../intake/index.ts'
import { createTurns, type Loop } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeclaredPools, FleetEvent } from '../ports/declared-pools.ts'
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
import {
  type AuditDeps,
  auditLoop,
  type RedeliveryMemory,
  recoveryLoop,
  redeliverLoop,
} from '../recovery/index.ts'

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
  /** How often the host and the ledger are compared, beside what changes tell; by the kind of host unless said. */
  readonly compareEveryMs?: number
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
  /** What the look at that list remembers; one for the loop and for whoever audits on demand. */
  readonly redelivery: RedeliveryMemory
  readonly host: RunnerHost
  /** Null where runners prove who they are by what their host gives them. */
  readonly secrets: Secrets | null
  /** In whose name this process acts for the fleet; null where no other process could. */
  readonly leader: () => Leader | null
  /** Where people declare pools; null where they stand in the configuration. */
  readonly pools?: DeclaredPools | null
  /** Where death records are written beside the ledger; null or absent: nowhere. */
  readonly sink?: RecordSink | null
  /** The disk of a ledger on this machine; null or absent: it is elsewhere. */
  readonly disk?: { readonly disk: Disk; readonly room: RoomBoard } | null
  readonly webhooks: Webhooks
  readonly metrics: Metrics
  readonly log: Log
  readonly settings: ControlSettings
}

/** A machine is listed from its own files; a cluster tells what changes, and is compared only in case it did not. */
const machineCompareMs = 2_000
const clusterCompareMs = 60_000

/**
 * The one list of all loops. The program and the simulation run these, and nothing else acts by itself. Whoever makes
 * them anew for every term shares the turns between them: what an earlier term began may still be under way.
 */
export function controlLoops(deps: ControlDeps, turns = createTurns()): readonly Loop[] {
  const { settings } = deps
  const own = <T extends object>(extra: T) => ({ ...deps, ...extra })
  const audit = auditDeps(deps)
  const troubles = createTroubleBoard()
  const pools = deps.pools ?? null
  const { stopGraceMs, compareEveryMs = pools === null ? machineCompareMs : clusterCompareMs } = settings
  const tell = pools === null ? tellNobody : (event: FleetEvent) => pools.tell(event)
  const nodes = createNodeHealth(own({ stopGraceMs, tell }))
  const { installation, bounds } = audit
  const shared = { turns, troubles, quarantine: nodes.quarantine, stopGraceMs, compareEveryMs, tell }
  const fleet = own({ ...shared, installation, bounds })
  const redeliver = redeliverLoop(audit, settings.redeliverEveryMs)
  const compare = auditLoop(audit, settings.auditEveryMs)
  const catchUp = async (signal: AbortSignal) => {
    await redeliver.pass(signal)
    await compare.pass(signal)
  }
  return [
    intakeLoop(own({ installation: settings.installation })),
    recoveryLoop({ ...audit, ...deps, turns }, settings.recoveryTickMs),
    redeliver,
    compare,
    budgetLoop(deps.budget),
    heartbeatLoop(
      own({ installation: settings.installation, kind: pools === null ? 'local' : 'kubernetes' }),
    ),
    lifecycleLoop({ ...fleet, strayGraceMs: settings.strayGraceMs }),
    livenessLoop(fleet),
    protectLoop(fleet),
    nodes.loop,
    scaleLoop(fleet),
    rollLoop({ ...fleet, pools }),
    ...(pools === null ? [] : [syncLoop({ ...fleet, pools }), statusLoop({ ...fleet, pools })]),
    clockLoop(deps),
    commonCausesLoop(own({ installation: settings.installation, tell })),
    quarantineLoop(own({ installation: settings.installation })),
    housekeepingLoop(own({ archiveAfterMs: settings.archiveAfterMs, keepMs: settings.keepMs })),
    ...(deps.disk == null
      ? []
      : [diskLoop({ ...deps, ...deps.disk, installation: settings.installation, catchUp })]),
    ...(deps.sink == null ? [] : [shipRecordsLoop(own({ sink: deps.sink }))]),
  ]
}

/** What recovery and the audit work with; also for an audit on demand. */
export function auditDeps(deps: ControlDeps): AuditDeps {
  const { installation, stopGraceMs, startDeadlineMs, bounds = recoveryBounds } = deps.settings
  return { ...deps, memory: deps.redelivery, installation, stopGraceMs, startDeadlineMs, bounds }
}

/** Their names, for metrics, which want to know all values before the first is counted. */
export const loopNames = [
  'intake',
  'recovery',
  'redeliver',
  'audit',
  'budget',
  'host-heartbeat',
  'runner-lifecycle',
  'runner-liveness',
  'runner-protect',
  'node-health',
  'pool-scale',
  'pool-roll',
  'pool-sync',
  'pool-status',
  'clock',
  'common-causes',
  'quarantine',
  'housekeeping',
  'disk',
  'ship-records',
] as const
