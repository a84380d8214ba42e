import type { Correction, DeathClass, DeathRecord, JobAtEnd, SealedEnd } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { Cause } from './cause.ts'

/** Death records: sealed once for each runner, and read in the order of their numbers. */
export interface DeathLedger {
  /**
   * The runner's newest attempt and its job with the last event about it, for its death record; null where it was never
   * given one.
   */
  jobAtEnd(runnerId: number): Promise<JobAtEnd | null>
  /**
   * Seals a runner's death record, once, and ends the runner; its open attempt is due for recovery at once. `lost`: it is
   * sealed, and the job that the forge had ended by then is lost by it, with the forge's conclusion kept.
   */
  sealDeath(
    runnerId: number,
    record: DeathRecord,
    reason: string,
    cause: Cause,
  ): Promise<'sealed' | 'lost' | 'already'>
  /**
   * Death records with a greater number, in the order of their numbers, also of runners that are archived. None that
   * is sealed later comes before one that was given: a reader that goes on after the last misses none.
   */
  deathsAfter(evidenceId: number, limit: number): Promise<readonly SealedDeath[]>
  /** Ends in short that were sealed lately, newest first, at most `limit`; also of runners that are archived. */
  ends(filter: EndFilter): Promise<readonly EndRow[]>
  /** How many there are of each class, the most first; all of them, whatever the limit of a list. */
  endCounts(filter: Omit<EndFilter, 'limit'>): Promise<readonly EndCount[]>
  /** Which of these runners' ends were sealed wrongly, and what is true of them; also of archived ones. */
  corrections(runnerIds: readonly number[]): Promise<ReadonlyMap<number, Correction>>
}

/** A runner's death as it was sealed. */
export interface SealedDeath {
  /** The number of its evidence. */
  readonly id: number
  readonly runnerId: number
  readonly runner: string
  readonly pool: string
  readonly host: string
  readonly sealedAt: Instant
  readonly record: Readonly<Record<string, unknown>>
}

/** An end in short, and whose it was. */
export interface EndRow extends SealedEnd {
  readonly runnerId: number
  readonly runner: string
}

/** Absent fields do not filter. */
export interface EndFilter {
  /** Sealed within this time. */
  readonly withinMs: number
  readonly classes?: readonly DeathClass[]
  readonly node?: string
  readonly pools?: readonly string[]
  readonly limit: number
}

export interface EndCount {
  readonly class: DeathClass
  readonly count: number
}
