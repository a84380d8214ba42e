import type { Redactor } from '../../domain/redact/index.ts'
import type { SnapshotScope, Unread } from '../../domain/snapshot/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClusterFactsReader } from '../../ports/cluster-facts.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { ForgeFactsReader } from '../../ports/forge-facts.ts'
import type { ForgeWishes } from './forge-order.ts'
import type { OwnPools } from './own-pools.ts'

export interface CollectOrder extends ForgeWishes {
  readonly scope: SnapshotScope
  /** The pools of a Holdfast that runs, or why they could not be read; null: nobody asked for them. */
  readonly ownPools: OwnPools | Unread | null
  /** A file is judged as well: that nothing of the fleet could be read is no failure. */
  readonly mayBeEmpty?: boolean
  readonly onProgress?: (text: string) => void
}

export interface CollectDeps {
  readonly cluster: ClusterFactsReader
  /** Null: there is neither a credential nor a file. */
  readonly forge: ForgeFactsReader | null
  readonly hashes: SecretHashes
  /** Hides the secrets of the settings and of the user's patterns, besides what looks like one. */
  readonly redactor: Pick<Redactor, 'text'>
  readonly clock: Pick<Clock, 'now'>
  readonly entropy: Entropy
  /** The version of this Holdfast. */
  readonly program: string
}

/** Keyed hashes of Secrets' values, and the name of the key. */
export interface SecretHashes {
  readonly scope: string
  hash(value: Uint8Array): string
}
