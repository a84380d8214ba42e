import { heldIncident, holdAct } from '../controllers/held-act.ts'
import type { BoundReached, RecoveryBounds, Subject } from '../domain/recovery/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type {
  DecisionLedger,
  IncidentLedger,
  LedgerClock,
  NewDecision,
  RecoveryLedger,
} from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'

export interface HeldActsDeps {
  readonly ledger: LedgerClock & RecoveryLedger & DecisionLedger & IncidentLedger
  readonly installation: string
  readonly bounds: RecoveryBounds
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Metrics
  readonly log: Log
}

const overCheckMs = 60_000

/** Holds back an act that is over its bound: its subject is postponed, and an incident is opened once. */
export async function holdBack(
  of: { readonly kind: Subject['kind']; readonly id: number },
  row: NewDecision,
  over: BoundReached,
  deps: HeldActsDeps,
): Promise<void> {
  await deps.ledger.postpone(of, await holdAct(row, over, deps))
}

/**
 * Closes the incident once no process held anything back for longer than a held subject waits. The ledger decides, so that
 * a restart changes nothing.
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
        (each) => each.kind === heldIncident && each.installation === installation && each.closedAt === null,
      )
      if (open === undefined || (await ledger.now()) < open.lastSeenAt + 2 * bounds.holdMs) return
      const { kind, scope, key } = open
      if ((await ledger.liftIncident({ kind, installation, scope, key })) === 'lifted')
        log.info({ incident: kind }, 'nothing is held back any more')
    },
  }
}
