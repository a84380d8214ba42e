import type { IncidentKind } from '../../../domain/incident/index.ts'
import type { IncidentLedger } from '../../../ports/ledger.ts'
import type { Metrics } from '../../../ports/metrics.ts'

export interface ReapIncidents {
  /** A pass failed. */
  failing(reason: string): Promise<void>
  /** A pass worked: it fails no more. */
  working(): Promise<void>
  /** Whether a person has yet to look at an earlier run. */
  areOpen(): Promise<boolean>
  /** Something was done and is not proven; only a person ends it. */
  escalated(plan: string, outcome: string): Promise<void>
}

const reasonCharsMax = 1_000
const planChars = 12

/** The incidents of the reaper: what it cannot put right by itself. */
export function createReapIncidents({
  ledger,
  installation,
  metrics,
}: {
  readonly ledger: IncidentLedger
  readonly installation: string
  readonly metrics: Metrics
}): ReapIncidents {
  const raise = async (kind: IncidentKind, key: string, text: string) => {
    const reason = text.slice(0, reasonCharsMax)
    const raised = await ledger.raiseIncident({ kind, installation, scope: 'runners', key, reason }, 0)
    if (raised === 'opened') metrics.count('holdfast_incidents_total', { kind })
  }
  return {
    failing: (reason) => raise('remedy-failing', 'reap', reason),
    async working() {
      await ledger.liftIncident({ kind: 'remedy-failing', installation, scope: 'runners', key: 'reap' })
    },
    areOpen: async () =>
      (await ledger.incidents(0)).some(
        (each) =>
          each.kind === 'remedy-escalated' && each.installation === installation && each.closedAt === null,
      ),
    escalated: (plan, outcome) =>
      raise('remedy-escalated', plan.slice(0, planChars), `plan ${plan}: ${outcome}`),
  }
}
