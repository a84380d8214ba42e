import type { DeliveryRow } from '../../ports/ledger.ts'
import type { ApiDelivery } from '../contracts/delivery.ts'
import { safeText } from './safe.ts'
import { iso, isoOrNull } from './time.ts'

/** A kept webhook in the terms of the API. */
export function deliveryView(row: DeliveryRow): ApiDelivery {
  return {
    guid: row.guid,
    installation: row.installation,
    event: row.event,
    subject: row.subject,
    receivedAt: iso(row.receivedAt),
    tries: row.tries,
    state: row.state,
    note: row.note === null ? null : safeText(row.note),
    settledAt: isoOrNull(row.settledAt),
  }
}
