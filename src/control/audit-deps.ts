import { recoveryBounds } from '../domain/recovery/index.ts'
import type { AuditDeps } from '../recovery/index.ts'
import type { ControlDeps } from './deps.ts'

/** Dependencies of recovery and the audit; also for an audit on demand. */
export function auditDeps(deps: ControlDeps): AuditDeps {
  const { clock, ledger, forge, deliveries, budget, host, metrics, log } = deps
  const { installation, stopGraceMs, startDeadlineMs, bounds = recoveryBounds } = deps.settings
  return {
    clock,
    ledger,
    forge,
    deliveries,
    budget,
    memory: deps.redelivery,
    host,
    metrics,
    log,
    installation,
    stopGraceMs,
    startDeadlineMs,
    bounds,
  }
}
