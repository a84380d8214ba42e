import pg from 'pg'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Log } from '../../../ports/log.ts'
import { clientConfig } from './client-config.ts'
import { databaseReasonOf, isReadOnly, isTransient, ledgerError } from './errors.ts'
import { waitUntilReachable } from './reachable.ts'
import type { Db } from './sql.ts'
import { type ConnectionTarget, type Tls, targetOf } from './target.ts'
import { runQuery, runTransaction, type TransactionOptions } from './transaction.ts'

export interface DatabaseOptions {
  readonly url: string
  readonly tls?: Tls
  readonly poolMax?: number
  /** How long the first connection may take before it is an error. */
  readonly reachableWithinMs?: number
  readonly log: Log
  readonly clock: Clock
  readonly entropy: Entropy
  readonly signal?: AbortSignal
}

/**
 * The ledger's database. A lost connection is E_LEDGER_UNAVAILABLE, and the next call gets another one.
 * With `outcomeUnknown: true` in its params the write may have taken effect: callers repeat only what is idempotent.
 */
export interface Database extends Db {
  /** All or nothing; lost races (deadlock, serialization) run `work` again, so it must only touch the database. */
  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions): Promise<T>
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number }
  close(): Promise<void>
}

const poolMaxDefault = 16
const reachableWithinMsDefault = 30_000
const idleTimeoutMs = 30_000

/** Opens a pool on a server that was seen to be reachable, recent enough and writable. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, tls, clock, entropy, signal, poolMax = poolMaxDefault } = options
  const log = options.log.child({ part: 'ledger-connection' })
  const withinMs = options.reachableWithinMs ?? reachableWithinMsDefault
  const target = await waitUntilReachable(targetOf(url, tls), { withinMs, log, clock, signal })
  const retired = new Set<Promise<void>>()
  let pool = newPool(target, poolMax, log)

  return {
    query: (statement) => withClient('unknown', (client) => runQuery(client, statement)),
    transaction: (work, how = {}) =>
      runTransaction((use) => withClient('known', use), work, how, { clock, entropy, log }),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await Promise.all([pool.end(), ...retired])
    },
  }

  /** A connection that failed is closed, not given to the next caller. */
  async function withClient<T>(
    outcome: 'known' | 'unknown',
    use: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const from = pool
    const client = await from.connect().catch((error: unknown) => {
      throw ledgerError(error, 'known')
    })
    let broken = false
    try {
      return await use(client)
    } catch (error) {
      broken = isTransient(error) || isTransient(causeOf(error))
      if (isReadOnly(error) || isReadOnly(causeOf(error))) retire(from)
      throw ledgerError(error, outcome)
    } finally {
      client.release(broken)
    }
  }

  /** After a fail-over every pooled connection leads to the old primary: new calls get new ones. */
  function retire(failed: pg.Pool): void {
    if (failed !== pool) return
    log.warn({}, 'the ledger is read-only: all its connections are replaced')
    pool = newPool(target, poolMax, log)
    const ended = failed.end().finally(() => retired.delete(ended))
    retired.add(ended)
  }
}

function newPool(target: ConnectionTarget, poolMax: number, log: Log): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(target, 'pool'),
    max: poolMax,
    idleTimeoutMillis: idleTimeoutMs,
  })
  // Unheard, either of these would end the process when the server goes away.
  pool.on('error', (error) =>
    log.debug({ reason: databaseReasonOf(error) }, 'an idle ledger connection was lost'),
  )
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      log.debug({ reason: databaseReasonOf(error) }, 'a ledger connection was lost'),
    )
  })
  return pool
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}
