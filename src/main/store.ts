import { type Database, openDatabase, type Tls } from '../adapters/postgres/connection/index.ts'
import { type Config, passwordsIn } from '../platform/config/index.ts'
import type { Base } from './base.ts'

/** Where the ledger's rows are: a server of somebody else's, or the embedded one. */
export interface Store {
  readonly database: Database
  /** For the role that the program runs as. Holds the password: never log it. */
  readonly url: string
  /** For the role that owns the tables, where it is another one. */
  readonly ownerUrl: string | undefined
  readonly tls: Tls
  readonly kind: 'embedded' | 'external'
  stop(): Promise<void>
  /** For a program that cannot wait; gives whether there was anything to end. */
  endNow(): boolean
}

export async function openStore(base: Base, signal: AbortSignal): Promise<Store> {
  const { config, log, clock, entropy } = base
  const server = await serverOf(base)
  base.redactor.learn([server.url, server.ownerUrl ?? ''].flatMap(passwordsIn))
  const tls = tlsOf(config)
  try {
    const database = await openDatabase({
      url: server.url,
      tls,
      reachableWithinMs: config.databaseWaitMs,
      log,
      clock,
      entropy,
      signal,
    })
    return {
      database,
      url: server.url,
      ownerUrl: server.ownerUrl,
      tls,
      kind: server.kind,
      endNow: server.endNow,
      async stop() {
        await database.close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function serverOf(base: Base): Promise<Pick<Store, 'url' | 'ownerUrl' | 'kind' | 'stop' | 'endNow'>> {
  const { databaseUrl: url, databaseMigrateUrl: ownerUrl, dataDir } = base.config
  if (url !== undefined) return { url, ownerUrl, kind: 'external', stop: async () => {}, endNow: () => false }
  const { startEmbedded } = await import('../adapters/postgres/embedded/index.ts')
  const embedded = await startEmbedded({ ...base, dataDir })
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

/** Settings that were not given leave the word to the URL. */
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
