import type { Correction, DeathRecord, HostRing, JobAtEnd } from '../../domain/death/index.ts'
import type { Cause, EndCount, EndFilter, EndRow, RingOf, RunnerAlive, SealedDeath } from './rows.ts'

/** Of the ledger: the ends of runners, and what was seen of them on their nodes. */
export interface LedgerOfDeaths {
  /**
   * The runner's newest attempt and its job with the forge's last word, for its death record; null where it was never
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
   * is sealed later comes before one that was given: whoever goes on after the last misses none.
   */
  deathsAfter(evidenceId: number, limit: number): Promise<readonly SealedDeath[]>
  /** Ends in short that were sealed lately, newest first, at most `limit`; also of runners that are archived. */
  ends(filter: EndFilter): Promise<readonly EndRow[]>
  /** How many there are of each class, the most first; all of them, whatever the limit of a list. */
  endCounts(filter: Omit<EndFilter, 'limit'>): Promise<readonly EndCount[]>
  /** Which of these runners' ends were sealed wrongly, and what is true of them; also of archived ones. */
  corrections(runnerIds: readonly number[]): Promise<ReadonlyMap<number, Correction>>
  /** Every runner that lives, with the job that it has, at most so many, the newest. */
  runnersAlive(limit: number): Promise<readonly RunnerAlive[]>

  /**
   * Keeps what a node's agent saw of a runner, the newest of each pod: an end is never taken back, and what was seen
   * until an earlier time does not replace what was seen until a later one (`older`). Each node's word is held by itself.
   */
  putRing(ring: HostRing): Promise<'kept' | 'older'>
  /** By the node on which the pod is, whatever others say of it; null also where nobody can tell whose word counts. */
  ring(of: RingOf): Promise<HostRing | null>
  /**
   * Drops rings that were pushed before, and of those that belong to no runner known here the oldest beyond
   * `strangersMax`: an agent sees every pod of its node. At most so many; gives how many.
   */
  dropRings(bounds: {
    readonly olderThanMs: number
    readonly strangersMax: number
    readonly limit: number
  }): Promise<number>
}
