import { type ApiBudget, iso, type ResyncReport } from '../../api/index.ts'
import type { BudgetState } from '../../budget/index.ts'
import { auditDeps, type ControlDeps } from '../../control/index.ts'
import type { HttpDeps } from '../../http/index.ts'
import { auditNow } from '../../recovery/index.ts'

/** The orders that operators may give to the forge, and the calls that are left. */
export function forgeDeps(control: ControlDeps): HttpDeps['forge'] {
  const { forge, budget, settings } = control
  return {
    rerunJob: forge.rerunJob,
    rerunFailedJobs: forge.rerunFailedJobs,
    cancelRun: forge.cancelRun,
    readLog: forge.readLog,
    readJob: forge.readJob,
    readJobDetail: forge.readJobDetail,
    readRunJobs: forge.readRunJobs,
    async resync(signal): Promise<ResyncReport> {
      const report = await auditNow(auditDeps(control), settings.auditEveryMs, signal)
      const { at, compared, unreachable, deliveries, putOff } = report
      return {
        at: iso(at),
        compared: compared?.compared ?? 0,
        notCovered: [...(compared?.notCovered ?? [])],
        differences: (compared?.differences ?? []).map(({ jobId, ...rest }) => ({ job: jobId, ...rest })),
        unreachable: [...unreachable],
        deliveries,
        budget: budgetOf(report.budget),
        putOff: putOff?.why ?? null,
      }
    },
    async budget(signal) {
      // Read only until the first answer has reported it: a client that polls must not cost calls.
      if (budget.state().limit === null) await forge.readLimit(signal)
      const state = budget.state()
      const { pausedUntil } = state
      return { budget: budgetOf(state), pausedUntil: pausedUntil === null ? null : iso(pausedUntil) }
    },
  }
}

/** Null where the forge has no limit, or has not reported it yet. */
function budgetOf({ limit, left, resetAt, pace }: BudgetState): ApiBudget | null {
  if (limit === null || left === null || resetAt === null) return null
  return { limit, remaining: Math.max(0, left), resetAt: iso(resetAt), pace }
}
