import pg from 'pg'
import { type BackOff, backOffMs } from '../../../domain/back-off/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { clientConfig } from './client-config.ts'
import { databaseReasonOf, isTransient, sqlStateOf } from './errors.ts'
import { type ConnectionTarget, describeTarget } from './target.ts'

export interface Patience {
  readonly withinMs: number
  readonly log: Log
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

const serverVersionMin = 15
const retryBackOff: BackOff = { baseMs: 250, capMs: 2_000 }
const progressEveryMs = 2_000
const probeTimeoutMs = 5_000

/**
 * Waits for a server that takes writes, with a line of progress for people; resolves with the target as it
 * answered (without TLS where the server has none and that is allowed).
 */
export async function waitUntilReachable(
  target: ConnectionTarget,
  patience: Patience,
): Promise<ConnectionTarget> {
  const { withinMs, log, clock, signal } = patience
  const server = describeTarget(target)
  const startedAt = clock.now()
  let nextProgressMs = 0
  for (let tries = 1, asked = target; ; tries += 1) {
    const problem = await probe(asked)
    if (problem === undefined) return asked
    if (asked.plainAllowed && asked.ssl !== false && /does not support SSL/.test(problem.reason)) {
      asked = { ...asked, ssl: false }
      tries = 0
      continue
    }
    if (!problem.passing)
      throw new HoldfastError('E_LEDGER_REFUSED', { server, reason: problem.reason }, problem.cause)
    const waitedMs = clock.now() - startedAt
    if (waitedMs >= withinMs) {
      const params = { server, seconds: Math.round(withinMs / 1000), reason: problem.reason }
      throw new HoldfastError('E_LEDGER_UNREACHABLE', params, problem.cause)
    }
    if (waitedMs >= nextProgressMs) {
      nextProgressMs = waitedMs + progressEveryMs
      const left = Math.ceil((withinMs - waitedMs) / 1000)
      log.warn(
        { server, reason: problem.reason },
        `the ledger's server is not reachable yet; trying for ${left} s more`,
      )
    }
    await clock.sleep(Math.min(backOffMs(retryBackOff, tries), withinMs - waitedMs), signal)
  }
}

interface Problem {
  readonly reason: string
  /** Whether waiting can help. */
  readonly passing: boolean
  readonly cause: unknown
}

async function probe(target: ConnectionTarget): Promise<Problem | undefined> {
  const client = new pg.Client({ ...clientConfig(target, 'probe'), connectionTimeoutMillis: probeTimeoutMs })
  client.on('error', () => {}) // the call in progress is rejected with it
  try {
    await client.connect()
    const { rows } = await client.query(
      `select current_setting('server_version_num') as version, current_setting('transaction_read_only') as read_only`,
    )
    requireVersion(target, Number(rows[0].version))
    if (rows[0].read_only === 'on') {
      return { reason: 'the server is read-only (a standby?)', passing: true, cause: undefined }
    }
    return undefined
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    return { reason: databaseReasonOf(error), passing: isPassing(error), cause: error }
  } finally {
    await client.end().catch(() => {})
  }
}

function requireVersion(target: ConnectionTarget, versionNumber: number): void {
  const major = Math.floor(versionNumber / 10_000)
  if (major >= serverVersionMin) return
  throw new HoldfastError('E_LEDGER_TOO_OLD', {
    server: describeTarget(target),
    found: major,
    needed: serverVersionMin,
  })
}

/** A server that answers and refuses (password, database, certificate) refuses in a minute too. */
function isPassing(error: unknown): boolean {
  if (isTransient(error)) return true
  if (error instanceof AggregateError) return error.errors.every(isTransient)
  return sqlStateOf(error)?.startsWith('57') ?? false
}
