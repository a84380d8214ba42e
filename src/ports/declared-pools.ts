import type { PodPlan, Pool } from '../domain/pool/index.ts'
import type { Instant } from '../domain/time.ts'

/** A pool as people declared it. */
export interface DeclaredPool {
  readonly name: string
  /** Separates this declaration from an earlier one of the same name. */
  readonly uid: string
  readonly generation: number
  /** Somebody deleted it: its runners leave, and it is released after the last. */
  readonly isLeaving: boolean
  readonly declared:
    | { readonly kind: 'pool'; readonly pool: Pool; readonly pod: PodPlan }
    /** It cannot be used as it is written; what to write instead. */
    | { readonly kind: 'wrong'; readonly problems: readonly string[] }
}

const conditionTypes = ['Ready', 'Progressing', 'Degraded'] as const
type ConditionType = (typeof conditionTypes)[number]

export interface PoolCondition {
  readonly type: ConditionType
  readonly isTrue: boolean
  /** One word in CamelCase, such as `ImagePull`. */
  readonly reason: string
  /** A sentence for people, with what to do. */
  readonly message: string
}

export interface PoolStatus {
  readonly observedGeneration: number
  readonly queued: number
  readonly idle: number
  readonly busy: number
  readonly starting: number
  readonly leaving: number
  readonly desired: number
  readonly conditions: readonly PoolCondition[]
}

/** An event for people, shown where they look: on the pool, or on one of its runners. */
export interface FleetEvent {
  readonly about: { readonly kind: 'pool' | 'runner'; readonly name: string }
  readonly type: 'Normal' | 'Warning'
  /** One word in CamelCase. */
  readonly reason: string
  readonly message: string
  readonly at: Instant
}

/** The place where people declare pools and read their status. */
export interface DeclaredPools {
  /** All declared pools. Throws where the list is not fresh: never an empty one for a failed read (I10). */
  list(): Promise<readonly DeclaredPool[]>
  /** Writes only what changed; a status that somebody edited by hand is put right. */
  report(pool: DeclaredPool, status: PoolStatus, signal: AbortSignal): Promise<void>
  /** Nothing of the pool is left: its declaration may go. */
  release(pool: DeclaredPool, signal: AbortSignal): Promise<void>
  /** Repeated events are counted, not repeated; a lost one costs nothing. */
  recordEvent(event: FleetEvent): void
  onChange(callback: () => void): () => void
}
