import type { ClientConfig } from 'pg'
import type { ConnectionTarget } from './target.ts'
import { columnTypes } from './types.ts'

const statementTimeoutMs = 30_000
const lockTimeoutMs = 10_000
const idleInTransactionTimeoutMs = 30_000
/** The server's own timeouts come first; this one is for a server that no longer says anything. */
const silenceMs = statementTimeoutMs + 5_000
const connectTimeoutMs = 10_000

/** One connection as all of Holdfast's are: bounded in every wait, in UTC, named in pg_stat_activity. */
export function clientConfig(target: ConnectionTarget, purpose: string): ClientConfig {
  const { host, port, user, password, database, ssl } = target
  return {
    host,
    port,
    user,
    database,
    ssl,
    password: password ?? '',
    application_name: `holdfast ${purpose}`,
    // Plans of prepared statements are kept. Left to itself the server compares them with what they cost when the
    // tables were small, and as these grow it plans every claim again, which takes longer than the claim.
    options: '-c TimeZone=UTC -c DateStyle=ISO -c plan_cache_mode=force_generic_plan',
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    query_timeout: silenceMs,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Statements that do not wait for each other's answers are sent together: see transaction.ts.
    pipeline: true,
    types: columnTypes,
  }
}
