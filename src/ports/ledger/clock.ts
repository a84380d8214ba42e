import type { Instant } from '../../domain/time.ts'

/** The ledger's own clock, by which every deadline in it is judged. */
export interface LedgerClock {
  /** The ledger's own time. */
  now(): Promise<Instant>
  /**
   * Notes the ledger's own time. Where it went back since it was noted last (somebody set the clock), all that waits for
   * a time comes earlier by as much; gives by how many milliseconds, 0 where it did not.
   */
  noteTime(): Promise<number>
}
