import type { Instant } from '../../../src/domain/time.ts'
import {
  type ApplyResult,
  type Delivery,
  type DeliveryOutcome,
  type DeliveryRow,
  type DeliveryState,
  deliveryStates,
  outcomeOf,
} from '../../../src/ports/ledger.ts'
import { filter, find, type IsServed, type KeptDelivery, type State } from './state.ts'
import type { Tx } from './transaction.ts'

export function storeDelivery(
  tx: Tx,
  { guid, installation, event, subject, body }: Omit<Delivery, 'receivedAt' | 'tries'>,
): 'stored' | 'duplicate' {
  const { state, now } = tx
  if (state.deliveries.has(guid)) return 'duplicate'
  state.deliveries.set(guid, {
    guid,
    installation,
    event,
    subject,
    body,
    receivedAt: now,
    tries: 0,
    state: 'pending',
    retryAt: now,
    note: null,
    settledAt: null,
  })
  tx.wakes.push({ kind: 'deliveries' })
  return 'stored'
}

export function pendingDeliveries(state: State, now: Instant, limit: number, isServed: IsServed): Delivery[] {
  const pending = filter(
    state.deliveries,
    (row) => row.state === 'pending' && row.retryAt <= now && isServed(row) && !waitsBehind(state, row, now),
  )
  return pending
    .sort(byArrival)
    .slice(0, limit)
    .map(({ guid, installation, event, subject, body, receivedAt, tries }) => ({
      guid,
      installation,
      event,
      subject,
      body,
      receivedAt,
      tries,
    }))
}

/** An older one of its subject is to be tried again later. */
function waitsBehind({ deliveries }: State, row: KeptDelivery, now: Instant): boolean {
  const { installation, subject } = row
  if (subject === null) return false
  const older = find(
    deliveries,
    (other) =>
      other.state === 'pending' &&
      other.installation === installation &&
      other.subject === subject &&
      other.retryAt > now &&
      byArrival(other, row) < 0,
  )
  return older !== null
}

function byArrival(a: DeliveryRow, b: DeliveryRow): number {
  return a.receivedAt - b.receivedAt || (a.guid < b.guid ? -1 : 1)
}

/** A settled delivery stays settled, because two workers may handle one delivery. */
export function settleDelivery(tx: Tx, guid: string, outcome: DeliveryOutcome): void {
  const row = tx.state.deliveries.get(guid)
  if (row === undefined || row.state !== 'pending') return
  const { note } = outcome
  const tries = row.tries + 1
  tx.state.deliveries.set(
    guid,
    outcome.kind === 'failed'
      ? { ...row, note, tries, retryAt: tx.now + outcome.retryInMs }
      : { ...row, note, tries, state: outcome.kind, settledAt: tx.now },
  )
}

/** Settles the delivery that brought a job event with the result of applying it. */
export function settling(tx: Tx, result: ApplyResult, guid: string | undefined): ApplyResult {
  if (guid !== undefined) settleDelivery(tx, guid, outcomeOf(result))
  return result
}

/** Newest first, without their bodies. */
export function listDeliveries(
  state: State,
  { states = deliveryStates, limit }: { readonly states?: readonly DeliveryState[]; readonly limit: number },
): DeliveryRow[] {
  return filter(state.deliveries, (row) => states.includes(row.state))
    .sort((a, b) => byArrival(b, a))
    .slice(0, limit)
    .map(({ body: _body, retryAt: _retryAt, ...row }) => row)
}

export function replayDelivery(tx: Tx, guid: string): 'replayed' | 'pending' | 'unknown' {
  const row = tx.state.deliveries.get(guid)
  if (row === undefined) return 'unknown'
  if (row.state === 'pending') return 'pending'
  tx.state.deliveries.set(guid, { ...row, state: 'pending', tries: 0, retryAt: tx.now, settledAt: null })
  tx.wakes.push({ kind: 'deliveries' })
  return 'replayed'
}
