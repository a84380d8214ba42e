import type { Random } from '../../sim/world/random.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Knowledge } from './knowledge.ts'

/** One whole operation of the ledger's port, as some part of Holdfast calls it. */
export interface Operation {
  readonly name: string
  /** How often it is chosen, relative to the others. */
  readonly weight: number
  /** Gives what it was about and what it came to, for the history: `job 3: changed`. */
  readonly run: (ledger: Ledger, known: Knowledge, draw: Random) => Promise<string>
}

/** A violation that an operation found; it stops the fuzz. */
export class BrokenPromise extends Error {}

export const installation = 'forge'
export const host = 'here'
export const farMs = 60_000
