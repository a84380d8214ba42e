import type { Instant, Job, Run, Runner } from './model.ts'

/** What reads may show late. */
interface PastRows {
  readonly jobs: Job
  readonly runs: Run
  readonly runners: Runner
}
export type PastTable = keyof PastRows

interface Former {
  readonly at: Instant
  readonly table: PastTable
  readonly id: number
  /** What the row was before it changed; undefined: it was not there. */
  readonly row: Job | Run | Runner | undefined
}

/** Rows as they were at a moment, as far as they have changed since; undefined: not there yet. */
export type FormerRows = {
  readonly [T in PastTable]: ReadonlyMap<number, PastRows[T] | undefined>
}

/** More changes than these are not remembered: reads are then less late than was ordered. */
const CHANGES_MAX = 50_000
const FORGET_AT_ONCE = 1_024

/** What rows were before they changed, for as long as a reader may be behind. */
export class Past {
  #keepMs = 0
  #formers: Former[] = []

  /** From now on so much of the past is kept; 0: none. */
  keep(keepMs: number): void {
    this.#keepMs = keepMs
    if (keepMs === 0) this.#formers = []
  }

  note(table: PastTable, id: number, row: Former['row'], at: Instant): void {
    if (this.#keepMs === 0) return
    this.#formers.push({ at, table, id, row })
    const old = this.#formers[FORGET_AT_ONCE]
    const isLong = this.#formers.length > CHANGES_MAX
    if (old !== undefined && (isLong || old.at < at - this.#keepMs)) this.#formers.splice(0, FORGET_AT_ONCE)
  }

  /** What has changed since a moment, as it was then. */
  at(moment: Instant): FormerRows {
    const rows = { jobs: new Map(), runs: new Map(), runners: new Map() }
    // Backwards: of several changes of a row the first after the moment is the one that counts, and it is set last.
    for (let index = this.#formers.length - 1; index >= 0; index -= 1) {
      const former = this.#formers[index] as Former
      if (former.at <= moment) break
      rows[former.table].set(former.id, former.row)
    }
    return rows
  }
}
