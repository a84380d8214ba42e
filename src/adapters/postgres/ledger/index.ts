import { handleBytes, handleFrom } from '../../../domain/attempt/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import { type Database, openListener, type Tls } from '../connection/index.ts'
import { createLedger } from './ledger.ts'
import { channels } from './plan/index.ts'
import { createWakes } from './wake.ts'

export { type ForgeServer, nameInstallation } from './installation/name.ts'

export interface OpenLedgerOptions {
  readonly database: Database
  /** Where the same database is, for the connection that listens. */
  readonly url: string
  readonly tls?: Tls
  readonly log: Log
  readonly clock: Clock
  readonly entropy: Entropy
  /**
   * The forge installation that this process serves: of no other are jobs claimed, counted as work, or looked at, and
   * webhooks worked on. Without it all are, for tools that act on none.
   */
  readonly serves?: string
  readonly hostLostAfterMs?: number
  readonly hostSteadyMs?: number
  /** When recovery asks the forge about a job that nobody took. */
  readonly staleQueuedAfterMs?: number
  /** When recovery asks the forge about a job that runs. */
  readonly runningCheckMs?: number
}

const hostLostAfterMsDefault = 15 * 60_000
const hostSteadyMsDefault = 60_000
const staleQueuedAfterMsDefault = 5 * 60_000
const runningCheckMsDefault = 10 * 60_000

/** The ledger on a migrated database. Disposing of it stops its listening; the database is its owner's to close. */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger & AsyncDisposable> {
  const { database, url, tls, log, clock, entropy } = options
  const wakes = createWakes()
  const listener = await openListener({
    url,
    ...(tls && { tls }),
    channels: Object.values(channels),
    onNotify: wakes.notify,
    onReconnect: wakes.all,
    log,
    clock,
    entropy,
  })
  const context = {
    database,
    log,
    installations: new Set<string>(),
    pools: { all: [], arePut: false },
    serves: options.serves ?? null,
    hostLostAfterMs: options.hostLostAfterMs ?? hostLostAfterMsDefault,
    hostSteadyMs: options.hostSteadyMs ?? hostSteadyMsDefault,
    staleQueuedAfterMs: options.staleQueuedAfterMs ?? staleQueuedAfterMsDefault,
    runningCheckMs: options.runningCheckMs ?? runningCheckMsDefault,
    newHandle: () => handleFrom(entropy.bytes(handleBytes)),
  }
  return {
    ...createLedger(context, wakes),
    [Symbol.asyncDispose]: () => listener.close(),
  }
}
