import type { Instant } from '../../../src/domain/time.ts'
import type { Delivery, DeliveryOutcome } from '../../../src/ports/ledger.ts'
import { filter, type State } from './state.ts'
import type { Tx } from './transaction.ts'

export function storeDelivery(
  tx: Tx,
  delivery: Pick<Delivery, 'guid' | 'installation' | 'event' | 'body'>,
): 'stored' | 'duplicate' {
  const { state, now } = tx
  if (state.deliveries.has(delivery.guid)) return 'duplicate'
  const { guid, installation, event, body } = delivery
  state.deliveries.set(guid, {
    guid,
    installation,
    event,
    body,
    receivedAt: now,
    tries: 0,
    state: 'pending',
    retryAt: now,
    note: null,
  })
  tx.wakes.push({ kind: 'deliveries' })
  return 'stored'
}

export function pendingDeliveries(state: State, now: Instant, limit: number): Delivery[] {
  const pending = filter(state.deliveries, (row) => row.state === 'pending' && row.retryAt <= now)
  pending.sort((a, b) => a.receivedAt - b.receivedAt)
  return pending.slice(0, limit).map(({ guid, installation, event, body, receivedAt, tries }) => ({
    guid,
    installation,
    event,
    body,
    receivedAt,
    tries,
  }))
}

/** What is settled stays settled, because two may work on one delivery. */
export function settleDelivery(tx: Tx, guid: string, outcome: DeliveryOutcome): void {
  const row = tx.state.deliveries.get(guid)
  if (row === undefined || row.state !== 'pending') return
  const { note } = outcome
  const tries = row.tries + 1
  tx.state.deliveries.set(
    guid,
    outcome.kind === 'failed'
      ? { ...row, note, tries, retryAt: tx.now + outcome.retryInMs }
      : { ...row, note, tries, state: outcome.kind },
  )
}
