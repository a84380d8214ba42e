import { type IncidentKind, incidentTable } from '../domain/incident/index.ts'
import type { BoundReached, Decision, RecoveryBounds, Subject } from '../domain/recovery/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger, NewDecision } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'

export interface HeldActsDeps {
  readonly ledger: Pick<
    Ledger,
    'now' | 'postpone' | 'recordDecision' | 'recordOutcome' | 'raiseIncident' | 'liftIncident' | 'incidents'
  >
  readonly installation: string
  readonly bounds: RecoveryBounds
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Metrics
  readonly log: Log
}

const incident: IncidentKind = 'recovery-bound'
const overCheckMs = 60_000

/** An act that is over its bound is not done: its subject is postponed, and a person is told, once. */
export async function holdBack(
  of: { readonly kind: Subject['kind']; readonly id: number },
  row: NewDecision,
  over: BoundReached,
  deps: HeldActsDeps,
): Promise<void> {
  const { ledger, installation, bounds, metrics, log } = deps
  const instead = { kind: 'hold', bound: over.kind, scope: over.scope, insteadOf: kindsOf(row.actions) }
  const id = await ledger.recordDecision({ ...row, actions: [instead] })
  await ledger.postpone(of, bounds.holdMs)
  const reason = boundText(over)
  await ledger.recordOutcome(id, `hold: ${reason}`)
  metrics.count('holdfast_acts_held_total', { kind: over.kind, scope: over.scope })
  log.warn({ rule: row.rule, bound: over.kind, scope: over.scope, reason, ...of }, 'an act is held back')
  const about = { kind: incident, installation, scope: 'installation', key: installation, reason } as const
  if ((await ledger.raiseIncident(about, 0)) !== 'opened') return
  const { title, todo } = incidentTable[incident]
  metrics.count('holdfast_incidents_total', { kind: incident })
  log.error({ incident, title, todo, reason }, 'recovery reached a bound')
}

/**
 * Closes the incident once nothing was held back for longer than a held subject waits, whoever held it: what the ledger
 * says decides, so that a restart changes nothing.
 */
export function createHeldActs({ ledger, installation, bounds, clock, log }: HeldActsDeps): {
  passed(): Promise<void>
} {
  let checkedAt: Instant = Number.NEGATIVE_INFINITY
  return {
    async passed() {
      if (clock.now() < checkedAt + overCheckMs) return
      checkedAt = clock.now()
      const open = (await ledger.incidents(0)).find(
        (each) => each.kind === incident && each.installation === installation && each.closedAt === null,
      )
      if (open === undefined || (await ledger.now()) < open.lastSeenAt + 2 * bounds.holdMs) return
      const { kind, scope, key } = open
      if ((await ledger.liftIncident({ kind, installation, scope, key })) === 'lifted')
        log.info({ incident: kind }, 'nothing is held back any more')
    },
  }
}

function kindsOf(actions: NewDecision['actions'] | Extract<Decision, { kind: 'act' }>['actions']): string[] {
  return actions.map(({ kind }) => String(kind))
}

function boundText({ kind, scope, node, done, allowed, windowMs }: BoundReached): string {
  const where = scope === 'node' ? ` on ${node ?? ''}` : ''
  return `${kind} is bounded to ${allowed} runners in ${Math.round(windowMs / 60_000)} min${where}, and ${done} are counted`
}
