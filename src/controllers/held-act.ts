import { type IncidentKind, incidentTable } from '../domain/incident/index.ts'
import { type BoundReached, type RecoveryBounds, strangerId } from '../domain/recovery/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { DecisionLedger, IncidentLedger, NewDecision } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'

export interface HeldActDeps {
  readonly ledger: DecisionLedger & IncidentLedger
  readonly installation: string
  readonly bounds: RecoveryBounds
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Metrics
  readonly log: Log
}

/** The incident that is open while acts are held back. */
export const heldIncident: IncidentKind = 'recovery-bound'

/** How soon an act is retried that is over its bound only by acts under way, which may yet be refused. */
const passingMs = { from: 1_000, to: 5_000 } as const

/**
 * Holds back an act that is over its bound: its decision is stored as held, and an incident is opened once. Returns after
 * how long it may be retried. Where acts that are counted may yet be refused no incident is opened: the bound may not be
 * reached at all.
 */
export async function holdAct(row: NewDecision, over: BoundReached, deps: HeldActDeps): Promise<number> {
  if (over.isPassing) return jitteredMs(row, deps)
  const { ledger, installation, bounds, metrics, log } = deps
  const { rule, jobId, runnerId } = row
  const insteadOf = row.actions.map(({ kind }) => String(kind))
  const instead = { kind: 'hold', bound: over.kind, scope: over.scope, insteadOf }
  const id = await ledger.recordDecision({ ...row, actions: [instead] })
  const reason = boundText(over)
  await ledger.recordOutcome(id, `hold: ${reason}`)
  metrics.count('holdfast_acts_held_total', { kind: over.kind, scope: over.scope })
  log.warn({ rule, bound: over.kind, scope: over.scope, reason, jobId, runnerId }, 'an act is held back')
  const scope = { kind: heldIncident, installation, scope: 'installation', key: installation } as const
  if ((await ledger.raiseIncident({ ...scope, reason }, 0)) === 'opened') {
    const { title, todo } = incidentTable[heldIncident]
    metrics.count('holdfast_incidents_total', { kind: heldIncident })
    log.error({ incident: heldIncident, title, todo, reason }, 'recovery reached a bound')
  }
  return bounds.holdMs
}

/** Jitter that differs each time: with equal waits the same few acts would always come first. */
function jitteredMs({ jobId, runnerId }: NewDecision, { clock }: HeldActDeps): number {
  const { from, to } = passingMs
  return from + (-strangerId(`${jobId} ${runnerId} ${clock.now()}`) % (to - from))
}

function boundText({ kind, scope, node, done, allowed, windowMs }: BoundReached): string {
  const where = scope === 'node' ? ` on ${node ?? ''}` : ''
  const what = kind === 'close-gone' ? 'jobs' : 'runners'
  return `${kind} is bounded to ${allowed} ${what} in ${Math.round(windowMs / 60_000)} min${where}, and ${done} are counted`
}
