import type { MintGate } from '../budget/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Forge } from '../ports/forge.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Vault } from '../ports/vault.ts'
import type { DispatchSettings } from './settings.ts'
import type { Waiters } from './waiters.ts'

/** What the path from a poll to a JIT works with. */
export interface DispatchDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: Ledger
  readonly forge: Forge
  readonly vault: Vault
  readonly metrics: Metrics
  readonly log: Log
  readonly settings: DispatchSettings
  readonly waiters: Waiters
  /** Where the forge counts points, no more jobs are claimed than can be minted for in time. */
  readonly budget?: { readonly mints: MintGate }
  /** Ends what must otherwise be seen through: aborted when the program ends. */
  readonly shutdown: AbortSignal
}
