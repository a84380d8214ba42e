import { budgetLoop, type SharedBudget } from '../budget/index.ts'
import { housekeepingLoop } from '../controllers/ledger/housekeeping/index.ts'
import { scaleLoop } from '../controllers/pool/scale/index.ts'
import { lifecycleLoop } from '../controllers/runner/lifecycle/index.ts'
import { intakeLoop } from '../intake/index.ts'
import type { Loop } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Forge } from '../ports/forge.ts'
import type { ForgeDeliveries } from '../ports/forge-deliveries.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
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
  /** From the start of a runner to its first poll. */
  readonly bootDeadlineMs: number
  /** From a runner's registration to its job's start, before the forge is asked. */
  readonly startDeadlineMs: number
  /** Between asking a runner to stop and ending it. */
  readonly stopGraceMs: number
  readonly surplusAfterMs: number
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
  readonly secrets: Secrets
  readonly webhooks: Webhooks
  readonly metrics: Metrics
  readonly log: Log
  readonly settings: ControlSettings
}

/** The one list of all loops. The program and the simulation run these, and nothing else acts by itself. */
export function controlLoops(deps: ControlDeps): readonly Loop[] {
  const { settings } = deps
  const own = <T extends object>(extra: T) => ({ ...deps, ...extra })
  const audit = auditDeps(deps)
  return [
    intakeLoop(own({ installation: settings.installation })),
    recoveryLoop(audit, settings.recoveryTickMs),
    redeliverLoop(audit, settings.redeliverEveryMs),
    auditLoop(audit, settings.auditEveryMs),
    budgetLoop(deps.budget),
    lifecycleLoop(own({ stopGraceMs: settings.stopGraceMs })),
    scaleLoop(
      own({
        bootDeadlineMs: settings.bootDeadlineMs,
        stopGraceMs: settings.stopGraceMs,
        surplusAfterMs: settings.surplusAfterMs,
      }),
    ),
    housekeepingLoop(own({ archiveAfterMs: settings.archiveAfterMs, keepMs: settings.keepMs })),
  ]
}

/** What recovery and the audit work with; also for an audit on demand. */
export function auditDeps(deps: ControlDeps): AuditDeps {
  const { installation, stopGraceMs, startDeadlineMs } = deps.settings
  return { ...deps, memory: deps.redelivery, installation, stopGraceMs, startDeadlineMs }
}

/** Their names, for metrics, which want to know all values before the first is counted. */
export const loopNames = [
  'intake',
  'recovery',
  'redeliver',
  'audit',
  'budget',
  'runner-lifecycle',
  'pool-scale',
  'housekeeping',
] as const
