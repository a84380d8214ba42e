import {
  type BoundedAct,
  boundReached,
  type RecoveryBounds,
  type Tally,
  underWayMsMax,
} from '../../../src/domain/recovery/index.ts'
import { isLive } from '../../../src/domain/runner/index.ts'
import type { BoundedRecord, NewDecision } from '../../../src/ports/ledger.ts'
import { recordDecision } from './recovery.ts'
import { filter } from './state.ts'
import type { Tx } from './transaction.ts'

export function recordBounded(
  tx: Tx,
  decision: NewDecision,
  act: BoundedAct,
  bounds: RecoveryBounds,
): BoundedRecord {
  const { boundedActs } = tx.state
  for (const [id, { at }] of boundedActs) if (at < tx.now - 2 * bounds.windowMs) boundedActs.delete(id)
  const over = boundReached(act, bounds, tallyOf(tx, act, bounds))
  if (over !== null) return { kind: 'over', over }
  const id = recordDecision(tx, decision)
  boundedActs.set(id, { ...act, at: tx.now })
  return { kind: 'recorded', id }
}

export function releaseAct(tx: Tx, decisionId: number): void {
  tx.state.boundedActs.delete(decisionId)
}

function tallyOf({ state, now }: Tx, act: BoundedAct, { windowMs }: RecoveryBounds): Tally {
  const entries = [...state.boundedActs].filter(
    ([, { kind, runnerId, at }]) => kind === act.kind && runnerId !== act.runnerId && at > now - windowMs,
  )
  const others = entries.map(([, other]) => other)
  const underWay = entries
    .filter(([id, { at }]) => at > now - underWayMsMax && state.decisions.get(id)?.outcome === null)
    .map(([, other]) => other)
  const isThere = ({ node }: BoundedAct) => act.node !== null && node === act.node
  const runnersOf = (acts: readonly BoundedAct[]) => new Set(acts.map(({ runnerId }) => runnerId)).size
  const live = filter(state.runners, isLive).map(({ id }) => id)
  return {
    fleet: new Set([...live, ...others.map(({ runnerId }) => runnerId)]).size,
    done: runnersOf(others),
    doneOnNode: runnersOf(others.filter(isThere)),
    underWay: runnersOf(underWay),
    underWayOnNode: runnersOf(underWay.filter(isThere)),
  }
}
