import { budgetLoop } from '../budget/index.ts'
import { statusLoop } from '../controllers/declared-pool/status/index.ts'
import { syncLoop } from '../controllers/declared-pool/sync/index.ts'
import { heartbeatLoop } from '../controllers/host/heartbeat/index.ts'
import { originLoop } from '../controllers/job/origin/index.ts'
import { clockLoop } from '../controllers/ledger/clock/index.ts'
import { commonCausesLoop } from '../controllers/ledger/common-causes/index.ts'
import { diskLoop } from '../controllers/ledger/disk/index.ts'
import { housekeepingLoop } from '../controllers/ledger/housekeeping/index.ts'
import { quarantineLoop } from '../controllers/ledger/quarantine/index.ts'
import { shipRecordsLoop } from '../controllers/ledger/ship-records/index.ts'
import { createNodeHealth } from '../controllers/node/health/index.ts'
import { poolProblemsLoop } from '../controllers/pool/problems/index.ts'
import { rollLoop } from '../controllers/pool/roll/index.ts'
import { scaleLoop } from '../controllers/pool/scale/index.ts'
import { createStartProblems } from '../controllers/pool/start-problems.ts'
import { discardEvent } from '../controllers/record-event.ts'
import { reapLoop } from '../controllers/remedy/reap/index.ts'
import { lifecycleLoop } from '../controllers/runner/lifecycle/index.ts'
import { livenessLoop } from '../controllers/runner/liveness/index.ts'
import { protectLoop } from '../controllers/runner/protect/index.ts'
import { intakeLoop } from '../intake/index.ts'
import { createKeyedMutex, type Loop } from '../loop/index.ts'
import type { FleetEvent } from '../ports/declared-pools.ts'
import { auditLoop, recoveryLoop, redeliverLoop } from '../recovery/index.ts'
import { auditDeps } from './audit-deps.ts'
import type { ControlDeps } from './deps.ts'

/** A machine is listed from its own files; a cluster is watched, and resynced only in case a change was missed. */
const machineResyncMs = 2_000
const clusterResyncMs = 60_000

/**
 * The one list of all loops, each with what it receives. The program and the simulation run these, and nothing else acts by
 * itself. A caller that makes them again for every term passes the same mutex: work that an earlier term began may still
 * be under way.
 */
export function controlLoops(deps: ControlDeps, runnerMutex = createKeyedMutex()): readonly Loop[] {
  const { clock, entropy, ledger, forge, host, secrets, leader, webhooks, metrics, log, settings } = deps
  const { pools = null, sink = null, disk = null, reap = null } = deps
  const { installation, stopGraceMs, strayGraceMs, archiveAfterMs, keepMs } = settings
  const { resyncEveryMs = pools === null ? machineResyncMs : clusterResyncMs } = settings
  const kind = pools === null ? 'local' : 'kubernetes'
  const audit = auditDeps(deps)
  const { bounds } = audit

  // Shared by the loops of the fleet.
  const startProblems = createStartProblems()
  const recordEvent = pools === null ? discardEvent : (event: FleetEvent) => pools.recordEvent(event)
  const nodes = createNodeHealth({ clock, ledger, host, log, metrics, stopGraceMs, recordEvent })
  const { quarantine } = nodes

  const redeliver = redeliverLoop(audit, settings.redeliverEveryMs)
  const compare = auditLoop(audit, settings.auditEveryMs)
  const catchUp = async (signal: AbortSignal) => {
    await redeliver.pass(signal)
    await compare.pass(signal)
  }

  return [
    intakeLoop({ ledger, webhooks, installation, log, metrics }),
    originLoop({ ledger, forge, installation, clock, log, metrics }),
    recoveryLoop({ ...audit, entropy, runnerMutex }, settings.recoveryTickMs),
    redeliver,
    compare,
    budgetLoop(deps.budget),
    heartbeatLoop({ ledger, host, kind, installation, metrics, log }),
    lifecycleLoop({
      clock,
      ledger,
      host,
      log,
      metrics,
      stopGraceMs,
      installation,
      bounds,
      runnerMutex,
      resyncEveryMs,
      strayGraceMs,
      recordEvent,
      startProblems,
    }),
    livenessLoop({
      clock,
      ledger,
      host,
      log,
      metrics,
      startProblems,
      stopGraceMs,
      installation,
      bounds,
      recordEvent,
    }),
    protectLoop({ clock, ledger, host, log, metrics }),
    nodes.loop,
    scaleLoop({
      clock,
      entropy,
      ledger,
      host,
      secrets,
      leader,
      log,
      metrics,
      startProblems,
      runnerMutex,
      quarantine,
      stopGraceMs,
    }),
    rollLoop({ clock, ledger, host, log, metrics, startProblems, quarantine, stopGraceMs, pools }),
    ...(pools === null
      ? []
      : [
          syncLoop({ ledger, host, pools, leader, log }),
          statusLoop({ clock, ledger, host, pools, startProblems, log }),
        ]),
    poolProblemsLoop({ ledger, startProblems, pools, installation, clock, log, metrics }),
    clockLoop({ ledger, log }),
    commonCausesLoop({ ledger, host, clock, log, metrics, recordEvent, installation }),
    quarantineLoop({ ledger, installation, log, metrics }),
    housekeepingLoop({ ledger, log, metrics, archiveAfterMs, keepMs }),
    ...(disk === null
      ? []
      : [
          diskLoop({
            disk: disk.disk,
            headroom: disk.headroom,
            ledger,
            installation,
            log,
            metrics,
            catchUp,
          }),
        ]),
    ...(sink === null ? [] : [shipRecordsLoop({ ledger, sink, clock, entropy, log, metrics })]),
    ...(reap === null ? [] : [reapLoop({ reap, ledger, installation, clock, log, metrics })]),
  ]
}

/** The names of the loops, for metrics, which declare all values of a label first. */
export const loopNames = [
  'intake',
  'job-origin',
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
  'pool-problems',
  'clock',
  'common-causes',
  'quarantine',
  'housekeeping',
  'disk',
  'ship-records',
  'remedy-reap',
] as const
