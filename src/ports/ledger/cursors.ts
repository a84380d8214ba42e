import type { Instant } from '../../domain/time.ts'

/** Cursors and positions by name: up to where something was read. None ever moves back. */
export interface CursorLedger {
  /** Up to where something was read, such as the forge's list of runs; null: never. It only moves forwards. */
  cursor(name: string): Promise<Instant | null>
  moveCursor(name: string, to: Instant): Promise<void>
  /** All whose names begin so. */
  cursors(prefix: string): Promise<ReadonlyMap<string, Instant>>
  /** Many at once, as `moveCursor` does each. */
  moveCursors(names: readonly string[], to: Instant): Promise<void>
  /**
   * Takes a turn that lasts `costMs` in the line of this name, one behind the other and none before now, in one step
   * for all processes. 0: it is taken; else nothing was, because the line would reach further ahead than `aheadMsMax`,
   * and it is worth asking again after so long.
   */
  takeTurn(name: string, costMs: number, aheadMsMax: number): Promise<number>
  /** Up to which number something was taken out of the ledger; 0: nothing was. It only moves forwards. */
  position(name: string): Promise<number>
  movePosition(name: string, to: number): Promise<void>
}
