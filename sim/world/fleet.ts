import type { DeclaredPools } from '../../src/ports/declared-pools.ts'
import type { Identity } from '../../src/ports/identity.ts'
import type { Leadership } from '../../src/ports/leadership.ts'
import type { RunnerHost } from '../../src/ports/runner-host.ts'
import type { Violation, Watched } from './checkers.ts'
import type { Life, LifeDeps } from './life.ts'

/** Where runners run, as one process of Holdfast sees it. */
export interface FleetSide {
  readonly host: RunnerHost
  /** Whether its calls go over a network and may fail. */
  readonly isRemote: boolean
  readonly identity: Identity
  /** Null: the pools stand in the ledger from the beginning. */
  readonly declared: DeclaredPools | null
  /** Null: nobody else acts on this host. */
  readonly leads: { readonly lease: string; readonly leadership: Leadership } | null
}

/** A whole fleet, which outlives every process of Holdfast. */
export interface FleetTwin {
  /** The view of a process in this place from its start on. */
  openFor(life: Life, slot: 0 | 1, deps: LifeDeps): FleetSide
  /** Runners that are there now. */
  living(): ReadonlySet<string>
  /** The machine of the second process is gone, and all that ran there; absent where there is none. */
  loseSecond?(): void
  /** From now on things go wrong, for so long. */
  begin(wildMs: number): void
  /** Everything is mended, and nothing new goes wrong. */
  calm(): void
  /** Whether nothing is broken any more. */
  isMended(): boolean
  /** The invariants of this kind of fleet; checked after every event. */
  check(watched: Watched): Violation | null
  checkRest(watched: Watched): Violation | null
}
