import type { Handle } from '../../../domain/attempt/index.ts'
import type { Log } from '../../../ports/log.ts'
import type { Database } from '../connection/index.ts'
import type { KnownInstallations } from './pool/installation.ts'
import type { KnownPools } from './pool/known-pools.ts'

/** Dependencies that the statements share. */
export interface LedgerContext {
  readonly database: Database
  readonly log: Log
  readonly installations: KnownInstallations
  readonly pools: KnownPools
  /** The installation whose jobs are given out and looked at; null: all of them. */
  readonly serves: string | null
  /** So long after its last heartbeat a host is lost. */
  readonly hostLostAfterMs: number
  /** A host judges others only after its own heartbeats came for so long. */
  readonly hostSteadyMs: number
  readonly staleQueuedAfterMs: number
  readonly runningCheckMs: number
  readonly newHandle: () => Handle
}
