import pg from 'pg'
import { type Database, openDatabase } from '../../src/adapters/postgres/connection/index.ts'
import { openLedger } from '../../src/adapters/postgres/ledger/index.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { clock, entropy, recordedLog } from './machine.ts'
import { createDatabase } from './postgres.ts'

export interface LedgerBench extends AsyncDisposable {
  readonly url: string
  /** As the role that the program runs as. */
  readonly programUrl: string
  readonly database: Database
  /** The log of its ledgers. */
  readonly log: ReturnType<typeof recordedLog>
  /** A ledger of its own on the same database, as another process would have it; closed with the bench. */
  open(options?: {
    readonly serves?: string
    readonly hostLostAfterMs?: number
    readonly hostSteadyMs?: number
  }): Promise<Ledger & AsyncDisposable>
  /** Runs SQL as it stands, on a connection of its own. */
  run(statement: string, values?: readonly unknown[]): Promise<pg.QueryResult>
  /** The same as the role that the program runs as. */
  asProgram(statement: string): Promise<pg.QueryResult>
  /** Writes behind the back of the triggers what nobody may write: rows as another version left them, or long ago. */
  behind(statement: string): Promise<void>
  /** Takes every row away, behind the back of the triggers. */
  empty(): Promise<void>
}

/** A migrated database with a pool of connections, and as many ledgers on it as a test needs. */
export async function ledgerBench(poolMax = 16): Promise<LedgerBench> {
  const { url, programUrl, drop } = await createDatabase()
  const log = recordedLog()
  const tls = { mode: 'disable' } as const
  const database = await openDatabase({ url: programUrl, tls, poolMax, log, clock, entropy })
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const program = new pg.Client({ connectionString: programUrl })
  program.on('error', () => {})
  await program.connect()
  const ledgers: AsyncDisposable[] = []
  const behind = async (statement: string) => {
    await client.query(`begin; set local session_replication_role = replica; ${statement}; commit`)
  }
  /** From the catalogue, so that a new table cannot be forgotten; what was migrated stays. */
  const tables = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables
        where schemaname = current_schema() and tablename <> 'schema_migrations'`,
    )
    return rows.map(({ name }) => name)
  }
  return {
    url,
    programUrl,
    database,
    log,
    async open(options = {}) {
      const ledger = await openLedger({ database, url: programUrl, tls, log, clock, entropy, ...options })
      ledgers.push(ledger)
      return ledger
    },
    run: (statement, values) => client.query(statement, values && [...values]),
    asProgram: (statement) => program.query(statement),
    behind,
    async empty() {
      await behind(`truncate ${(await tables()).join(', ')} restart identity`)
    },
    async [Symbol.asyncDispose]() {
      for (const ledger of ledgers) await ledger[Symbol.asyncDispose]()
      await client.end()
      await program.end()
      await database.close()
      await drop()
    },
  }
}
