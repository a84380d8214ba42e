import type { Instant } from '../../domain/time.ts'

/** The archive, and how long it is kept. */
export interface RetentionLedger {
  /**
   * Moves jobs that ended before to the archive, with all that belongs to them, and runners that ended before and have
   * no job that is not there. Nothing open is touched. Less than the limit: nothing is left to move. What cannot be
   * moved is set aside and tried again later; the others are moved.
   */
  archive(olderThanMs: number, limit: number): Promise<number>
  /** Rows that archiving could not move, the longest waiting first, at most a hundred. */
  setAside(): Promise<readonly SetAside[]>
  /** Drops archived jobs and runners that ended before. Less than the limit: nothing is left to drop. */
  purge(olderThanMs: number, limit: number): Promise<number>
}

/** A job or runner that could not be moved to the archive. */
export interface SetAside {
  readonly kind: 'job' | 'runner'
  readonly id: number
  readonly reason: string
  readonly tries: number
  readonly since: Instant
}
