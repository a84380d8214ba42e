import type pg from 'pg'
import { type BackOff, backOffMs } from '../../../domain/back-off/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Log } from '../../../ports/log.ts'
import { isLostRace, isTransient, ledgerError, sqlStateOf } from './errors.ts'
import type { Db, QueryResult, Sql } from './sql.ts'

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** For long work such as a migration, instead of the pool's short timeouts. */
  readonly statementTimeoutMs?: number
  readonly lockTimeoutMs?: number
}

interface Surroundings {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
}

type WithClient = <T>(use: (client: pg.PoolClient) => Promise<T>) => Promise<T>

const triesMax = 6
const retryBackOff: BackOff = { baseMs: 10, capMs: 500 }
const silenceAfterTimeoutMs = 5_000

/**
 * Runs work in a transaction, again when it lost a race; never again when nobody knows whether it committed. Statements
 * that it starts without having awaited the one before are sent in one go, and the server executes them in their
 * order: on a busy machine a round trip is most of what a short statement takes.
 */
export async function runTransaction<T>(
  withClient: WithClient,
  work: (tx: Db) => Promise<T>,
  options: TransactionOptions,
  { clock, entropy, log }: Surroundings,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await withClient((client) => once(client, work, options))
    } catch (error) {
      if (!isLostRace(error)) throw error
      if (tries >= triesMax) throw new HoldfastError('E_LEDGER_CONTENDED', { tries }, error)
      log.debug({ tries }, 'a ledger transaction lost a race and runs again')
      await clock.sleep(backOffMs(retryBackOff, tries, entropy.fraction()))
    }
  }
}

/** Runs one statement on one connection. */
export async function runQuery<T>(
  client: pg.PoolClient,
  { name, text, values }: Sql,
  silenceMs?: number,
): Promise<QueryResult<T>> {
  const config = {
    text,
    values: [...values],
    ...(name !== undefined && { name }),
    ...(silenceMs !== undefined && { query_timeout: silenceMs }),
  }
  const result = await client.query(config)
  return { rows: (result.rows ?? []) as T[], rowCount: result.rowCount ?? 0 }
}

async function once<T>(
  client: pg.PoolClient,
  work: (tx: Db) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const { isolation = 'read committed', statementTimeoutMs } = options
  const silenceMs = statementTimeoutMs === undefined ? undefined : statementTimeoutMs + silenceAfterTimeoutMs
  let open = true
  let isBegun = false
  let areWaiting = false
  let failed: { readonly by: unknown } | undefined
  const begun = client.query(`begin isolation level ${isolation}${localSettings(options)}`).then(() => {
    isBegun = true
  })
  begun.catch(() => undefined) // it is awaited below, and maybe by nobody before
  const tx: Db = {
    async query(statement) {
      if (!open)
        throw new HoldfastError('E_BUG', { what: 'a statement came after its transaction had ended' })
      // Reads may be sent along with BEGIN. From the first write on all wait for it: where it failed, nothing is written.
      areWaiting ||= !isReading(statement)
      if (areWaiting && !isBegun) await begun
      try {
        return await runQuery(client, statement, silenceMs)
      } catch (error) {
        if (!isAborted(error)) failed ??= { by: error }
        throw error
      }
    },
  }
  try {
    const value = await work(tx)
    await begun
    open = false
    await commit(client)
    return value
  } catch (error) {
    open = false
    if (!isTransient(error) && !(error instanceof CommitFailed)) await rollBack(client)
    if (error instanceof CommitFailed) throw error.reported
    // Of statements that were sent in one go the later ones fail for the first, and their errors may arrive before its own.
    throw isAborted(error) && failed !== undefined ? failed.by : error
  }
}

/** The statement did not run, because one before it failed. */
function isAborted(error: unknown): boolean {
  return sqlStateOf(error) === '25P02'
}

function isReading({ text }: Sql): boolean {
  return /^\s*select\b/i.test(text)
}

function localSettings({ statementTimeoutMs, lockTimeoutMs }: TransactionOptions): string {
  const statement =
    statementTimeoutMs === undefined ? '' : `; set local statement_timeout = ${statementTimeoutMs}`
  return statement + (lockTimeoutMs === undefined ? '' : `; set local lock_timeout = ${lockTimeoutMs}`)
}

/** Keeps an error of COMMIT apart from an error of the work before it. */
class CommitFailed extends Error {
  readonly reported: unknown

  constructor(reported: unknown) {
    super('commit failed', { cause: reported })
    this.reported = reported
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  let command: string
  try {
    ;({ command } = await client.query('commit'))
  } catch (error) {
    // The answer was lost, not necessarily the commit. Only an error of the server itself says that it failed.
    throw new CommitFailed(ledgerError(error, 'unknown'))
  }
  if (command === 'COMMIT') return
  const what = 'a transaction went on after a failed statement, so the server rolled it back at commit'
  throw new CommitFailed(new HoldfastError('E_BUG', { what }))
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback')
  } catch (error) {
    // The connection is gone and the transaction with it; as this error it also keeps the pool from reusing it.
    throw ledgerError(error, 'known')
  }
}
