import { type Database, openDatabase, type Tls } from '../../adapters/postgres/connection/index.ts'
import { type Config, passwordsIn } from '../../platform/config/index.ts'
import type { Base } from '../base.ts'

/** The ledger's Postgres: the server of `databaseUrl`, or the embedded one. */
export interface LedgerDatabase {
  readonly pool: Database
  /** For the program's role. Holds the password: never log it. */
  readonly url: string
  /** For the role that owns the tables, where that is another role. */
  readonly ownerUrl: string | undefined
  readonly tls: Tls
  readonly kind: 'embedded' | 'external'
  stop(): Promise<void>
  /** For a program that cannot wait; returns whether an embedded server was stopped. */
  endNow(): boolean
}

export async function openLedgerDatabase(base: Base, signal: AbortSignal): Promise<LedgerDatabase> {
  const { config, log, clock, entropy } = base
  const server = await serverOf(base)
  base.redactor.learn([server.url, server.ownerUrl ?? ''].flatMap(passwordsIn))
  const tls = tlsOf(config)
  try {
    const pool = await openDatabase({
      url: server.url,
      tls,
      reachableWithinMs: config.databaseWaitMs,
      log,
      clock,
      entropy,
      signal,
    })
    return {
      pool,
      url: server.url,
      ownerUrl: server.ownerUrl,
      tls,
      kind: server.kind,
      endNow: server.endNow,
      async stop() {
        await pool.close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function serverOf(
  base: Base,
): Promise<Pick<LedgerDatabase, 'url' | 'ownerUrl' | 'kind' | 'stop' | 'endNow'>> {
  const { config, clock, entropy, log } = base
  const { databaseUrl: url, databaseMigrateUrl: ownerUrl, dataDir } = config
  if (url !== undefined) return { url, ownerUrl, kind: 'external', stop: async () => {}, endNow: () => false }
  const { startEmbedded } = await import('../../adapters/embedded-postgres/index.ts')
  const embedded = await startEmbedded({ dataDir, clock, entropy, log })
  return {
    url: embedded.programUrl,
    ownerUrl: embedded.url,
    kind: 'embedded',
    stop: () => embedded.stop(),
    endNow() {
      embedded.endNow()
      return true
    },
  }
}

/** Only the settings that were given: the URL decides the others. */
function tlsOf({ databaseUrl, databaseTls }: Config): Tls {
  if (databaseUrl === undefined) return { mode: 'disable' }
  const { mode, caFile, certFile, keyFile } = databaseTls
  return {
    ...(mode !== 'prefer' && { mode }),
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
  }
}
