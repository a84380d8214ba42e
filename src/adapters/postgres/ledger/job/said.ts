import type { ForgeWord } from '../../../../domain/binding/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'

/** A word of the forge, what brought it, and the delivery that is settled with it. */
export interface Said {
  readonly word: ForgeWord
  readonly cause: Cause
  readonly settles: string | null
}
