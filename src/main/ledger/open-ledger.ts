import {
  type ForgeServer,
  nameInstallation,
  openLedger as openPostgresLedger,
} from '../../adapters/postgres/ledger/index.ts'
import { toPool } from '../../platform/config/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Base } from '../base.ts'
import { readOperatorToken } from '../data-folder/index.ts'
import { type Keys, openKeys } from './keys.ts'
import { migrateSchema } from './migrate-schema.ts'
import { type LedgerDatabase, openLedgerDatabase } from './open-database.ts'
import { redactingLedger } from './redacting-ledger.ts'

/** The migrated ledger with its keys and the name of the served forge. */
export interface OpenLedger {
  readonly ledger: Ledger
  /** The ledger's name of the served forge. */
  readonly installation: string
  readonly keys: Keys
  readonly operatorToken: string
  readonly database: LedgerDatabase['kind']
  stop(): Promise<void>
  /** For a program that cannot wait; returns whether an embedded server was stopped. */
  endNow(): boolean
}

/** Opens the ledger for the jobs of one forge server. */
export async function openLedger(base: Base, server: ForgeServer, signal: AbortSignal): Promise<OpenLedger> {
  const { config, clock, entropy, log, redactor } = base
  const token = await readOperatorToken(base)
  const database = await openLedgerDatabase(base, signal)
  try {
    await migrateSchema(base, database, { signal })
    const keys = await openKeys(base)
    const { name: installation, isNew } = await nameInstallation(database.pool, server)
    if (isNew) log.info({ installation, address: server.address }, 'a new forge installation in the ledger')
    const ledger = await openPostgresLedger({
      database: database.pool,
      url: database.url,
      tls: database.tls,
      log,
      clock,
      entropy,
      serves: installation,
      hostLostAfterMs: config.recovery.hostLostAfterMs,
      staleQueuedAfterMs: config.recovery.staleQueuedAfterMs,
    })
    if (config.fleet.kind === 'local') {
      await ledger.putPools(config.pools.map(toPool), { source: 'operator' })
    }
    return {
      ledger: redactingLedger<Ledger>(ledger, redactor),
      installation,
      keys,
      operatorToken: token,
      database: database.kind,
      endNow: database.endNow,
      async stop() {
        await ledger[Symbol.asyncDispose]()
        await database.stop()
      },
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}
