import type { ForgeCore } from '../forge/core/index.ts'
import type { Surroundings } from './holdfast.ts'
import type { MemoryLedger } from './ledger/index.ts'

/** A deliberately broken variant that the simulation must find, or it proves nothing. */
export interface Mutant {
  readonly name: string
  /** The invariants by which it may be found out. */
  readonly breaks: readonly string[]
  readonly mutate: (
    around: Surroundings,
    world: { readonly ledger: MemoryLedger; readonly core: ForgeCore },
  ) => Surroundings
}
