import type { Instant } from '../../domain/time.ts'
import type { Delivery, DeliveryOutcome, DeliveryRow, DeliveryState } from './rows.ts'

/** Of the ledger: webhooks as they came, and up to where other things were read. */
export interface LedgerOfIncoming {
  /** Keeps a raw webhook, once per GUID. */
  storeDelivery(
    delivery: Pick<Delivery, 'guid' | 'installation' | 'event' | 'subject' | 'body'>,
  ): Promise<'stored' | 'duplicate'>
  /**
   * Deliveries of the served installation that wait to be worked on, oldest first; none whose subject has an older one that is not settled and
   * waits to be tried again. Working on one twice is harmless.
   */
  pendingDeliveries(limit: number): Promise<readonly Delivery[]>
  settleDelivery(guid: string, outcome: DeliveryOutcome): Promise<void>
  /** Newest first, at most so many. */
  deliveries(filter: {
    readonly states?: readonly DeliveryState[]
    readonly limit: number
  }): Promise<readonly DeliveryRow[]>
  /** Those of these GUIDs that were stored. */
  knownDeliveries(guids: readonly string[]): Promise<ReadonlySet<string>>
  /** Works on a settled delivery once more, as if it had just come. */
  replayDelivery(guid: string): Promise<'replayed' | 'pending' | 'unknown'>

  /** Up to where something was read, such as the forge's list of runs; null: never. It only moves forwards. */
  cursor(name: string): Promise<Instant | null>
  moveCursor(name: string, to: Instant): Promise<void>
  /**
   * Takes a turn that lasts `costMs` in the line of this name, one behind the other and none before now, in one step
   * for all processes. 0: it is taken; else nothing was, because the line would reach further ahead than `aheadMsMax`,
   * and it is worth asking again after so long.
   */
  takeTurn(name: string, costMs: number, aheadMsMax: number): Promise<number>
  /** All whose names begin so. */
  cursors(prefix: string): Promise<ReadonlyMap<string, Instant>>
  /** Many at once, as `moveCursor` does each. */
  moveCursors(names: readonly string[], to: Instant): Promise<void>
  /** Up to which number something was taken out of the ledger; 0: nothing was. It only moves forwards. */
  position(name: string): Promise<number>
  movePosition(name: string, to: number): Promise<void>
}
