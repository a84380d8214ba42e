import type { Instant } from '../../src/domain/time.ts'
import type { ForgeDeliveries } from '../../src/ports/forge-deliveries.ts'
import type { ForgeCore } from '../forge/core/index.ts'
import type { Random } from './random.ts'

/** Faults of the forge's list of deliveries; all zero in the quiet end of a history. */
export interface ListFaults {
  /** Chance that a message that is asked for again is not kept any more. */
  gone: number
  /** Chance that a message is asked for again, and the forge does nothing. */
  forgotten: number
}

/** The forge's list of its webhooks, straight over its truth. */
export function createDeliveriesTwin(
  core: ForgeCore,
  now: () => Instant,
  random: Random,
  faults: ListFaults,
): ForgeDeliveries {
  return {
    async sentSince(since) {
      core.advance(now())
      return core
        .deliveries(null)
        .filter((delivery) => delivery.deliveredAt >= since)
        .map(({ id, message, deliveredAt, statusCode }) => ({
          id: String(id),
          guid: message.guid,
          event: message.event,
          sentAt: deliveredAt,
          isReceived: statusCode !== null && statusCode < 300,
        }))
    },
    async sendAgain(id) {
      if (random.chance(faults.gone)) return 'gone'
      if (random.chance(faults.forgotten)) return 'asked'
      return core.redeliver(Number(id), now()) === 'absent' ? 'gone' : 'asked'
    },
  }
}
