import type { DeathClass, DeathRecord } from '../../src/domain/death/index.ts'

/** One way in which a runner really dies here, and what must be found out about it. */
export interface DeathKind<Stage> {
  /** Also the name of the pool in which it happens. */
  readonly name: string
  /** The cause in one sentence, for the reader of the matrix. */
  readonly how: string
  /**
   * `words`: what it speaks of did not happen; a program in the runner's place prints what GitHub's runner prints then,
   * and ends with its code. `last-words`: it did happen, and what is said of it is said by such a program. Unset: all
   * of it really happens.
   */
  readonly staged?: 'words' | 'last-words'
  /** That of what is really done, then those that are accepted for it. */
  readonly classes: readonly DeathClass[]
  /** `together`: disturbs nobody. `nodes`: takes one node down, its own. `alone`: nothing else may happen meanwhile. */
  readonly when?: 'together' | 'nodes' | 'alone'
  /** Its end cannot be seen at once, by what is done: it says nothing about how quick capture is. */
  readonly isSeenLate?: boolean
  /** Fields of its pool, in addition to those that all pools have. */
  readonly pool?: (stage: Stage) => object
  /** Lets a runner die and gives its name. */
  readonly cause: (stage: Stage) => Promise<string>
  /** Checks its record further: null, or the problem. */
  readonly holds?: (record: DeathRecord) => string | null
}
