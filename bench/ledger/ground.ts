import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import { type Database, openDatabase } from '../../src/adapters/postgres/connection/index.ts'
import { openLedger } from '../../src/adapters/postgres/ledger/index.ts'
import { migrate } from '../../src/adapters/postgres/migrations/index.ts'
import { type Pool, poolDefaults } from '../../src/domain/pool/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Log } from '../../src/ports/log.ts'

export const clock = createClock()
export const entropy = createEntropy()
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

/** A real embedded server as `holdfast up` runs it, and databases on it. */
export interface Ground {
  database(pool?: Partial<Pool>): Promise<BenchDatabase>
  close(): Promise<void>
}

export interface BenchDatabase {
  readonly url: string
  readonly database: Database
  readonly ledger: Ledger
  close(): Promise<void>
}

export const benchPool = 'bench'

export async function openGround(): Promise<Ground> {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-'))
  await chmod(folder, 0o755)
  const server = await startEmbedded({ dataDir: folder, log: silent, clock, entropy })
  return {
    async database(pool = {}) {
      const name = `bench_${randomUUID().replaceAll('-', '')}`
      await administer(server.url, `create database ${name}`)
      const url = server.url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`)
      const database = await openDatabase({ url, log: silent, clock, entropy, poolMax: 16 })
      await migrate(database, { log: silent })
      const ledger = await openLedger({ database, url, log: silent, clock, entropy })
      await ledger.putPools([{ ...plainPool, ...pool }], { source: 'operator' })
      return {
        url,
        database,
        ledger,
        async close() {
          await ledger[Symbol.asyncDispose]()
          await database.close()
          await administer(server.url, `drop database ${name}`)
        },
      }
    },
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const plainPool: Pool = {
  ...poolDefaults,
  name: benchPool,
  labels: ['self-hosted'],
  minWarm: 0,
  maxRunners: 1_000,
  fairness: { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 3_600_000 },
  priorities: [],
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}
