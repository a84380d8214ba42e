import type { MintGate } from '../budget/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Forge } from '../ports/forge.ts'
import type { AttemptLedger, LedgerWakes, PoolLedger, RunnerLedger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Vault } from '../ports/vault.ts'
import type { DispatchSettings } from './settings.ts'
import type { Waiters } from './waiters.ts'

/** Dependencies of the path from a poll to a JIT. */
export interface DispatchDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: PoolLedger & AttemptLedger & RunnerLedger & LedgerWakes
  readonly forge: Forge
  readonly vault: Vault
  readonly metrics: Metrics
  readonly log: Log
  readonly settings: DispatchSettings
  readonly waiters: Waiters
  /** Where the forge counts points, no more jobs are claimed than can be minted in time. */
  readonly budget?: { readonly mints: MintGate }
  /** Aborted when the program ends; a claim is otherwise always completed. */
  readonly shutdown: AbortSignal
}
