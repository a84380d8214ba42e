import type { Instant, Job, Run, Runner } from './model.ts'

/** The tables that reads may show late. */
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
  /** The row before it changed; undefined: it did not exist. */
  readonly row: Job | Run | Runner | undefined
}

/** Rows as they were at a moment, as far as they have changed since; undefined: not there yet. */
export type FormerRows = {
  readonly [T in PastTable]: ReadonlyMap<number, PastRows[T] | undefined>
}

/** More changes than these are not remembered: reads are then less late than was ordered. */
const changesMax = 50_000
const forgetAtOnce = 1_024

/** Former versions of rows, for as long as a replica may lag. */
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
    const old = this.#formers[forgetAtOnce]
    const isLong = this.#formers.length > changesMax
    if (old !== undefined && (isLong || old.at < at - this.#keepMs)) this.#formers.splice(0, forgetAtOnce)
  }

  /** The rows that have changed since a time, as they were then. */
  at(time: Instant): FormerRows {
    const rows = { jobs: new Map(), runs: new Map(), runners: new Map() }
    // Backwards: of several changes of a row the first after the moment is the one that counts, and it is set last.
    for (let index = this.#formers.length - 1; index >= 0; index -= 1) {
      const former = this.#formers[index] as Former
      if (former.at <= time) break
      rows[former.table].set(former.id, former.row)
    }
    return rows
  }
}
