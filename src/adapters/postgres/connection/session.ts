import pg from 'pg'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { clientConfig } from './client-config.ts'
import { ledgerError } from './errors.ts'
import { waitUntilReachable } from './reachable.ts'
import type { Db } from './sql.ts'
import { type Tls, targetOf } from './target.ts'

interface SessionOptions {
  readonly url: string
  readonly tls?: Tls
  /** Its name in pg_stat_activity. */
  readonly purpose: string
  readonly log: Log
  readonly clock: Clock
}

/** One connection: whatever the server keeps for a session ends with it. */
interface Session extends Db {
  close(): Promise<void>
}

const reachableWithinMs = 30_000

/** Opens a connection apart from the pool, for a lock that lasts longer than a transaction. */
export async function openSession({ url, tls, purpose, log, clock }: SessionOptions): Promise<Session> {
  const target = await waitUntilReachable(targetOf(url, tls), { withinMs: reachableWithinMs, log, clock })
  const client = new pg.Client(clientConfig(target, purpose))
  client.on('error', () => {}) // the next statement reports it; unhandled, it would end the process
  await client.connect()
  return {
    async query<T>({ text, values }: Parameters<Db['query']>[0]) {
      try {
        const { rows, rowCount } = await client.query({ text, values: [...values] })
        return { rows: rows as T[], rowCount: rowCount ?? 0 }
      } catch (error) {
        throw ledgerError(error, 'unknown')
      }
    },
    close: () => client.end(),
  }
}
