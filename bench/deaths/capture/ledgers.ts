import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../../src/adapters/embedded-postgres/index.ts'
import { openDatabase } from '../../../src/adapters/postgres/connection/index.ts'
import { openLedger } from '../../../src/adapters/postgres/ledger/index.ts'
import { migrate } from '../../../src/adapters/postgres/migrations/index.ts'
import { poolDefaults } from '../../../src/domain/pool/index.ts'
import type { Cause, Ledger } from '../../../src/ports/ledger.ts'
import type { Log } from '../../../src/ports/log.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { clock, entropy } from '../../ledger/ground.ts'
import { type EndName, endNames } from './ground.ts'

/** A real embedded server with durable commits, as `holdfast up` runs it, and ledgers in which nobody died yet. */
export interface Ledgers {
  readonly pid: number
  /** A ledger in which every runner has its job and lives; the forge has reported those that ended well. */
  fresh(): Promise<OpenLedger>
  close(): Promise<void>
}

interface OpenLedger {
  readonly ledger: Ledger
  /** Records of deaths in it. */
  records(): Promise<number>
  close(): Promise<void>
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }
const cause: Cause = { source: 'operator' }
const filled = 'filled'
const hostId = 'bench'
const longMs = 3_600_000
const poolMax = 16

export async function openLedgers(names: ReadonlyMap<EndName, readonly string[]>): Promise<Ledgers> {
  const folder = await temporaryFolder('holdfast-bench-deaths-')
  const dataDir = path.join(folder.path, 'ledger')
  const server = await startEmbedded({ dataDir, log: silent, clock, entropy })
  const urlOf = (name: string) => server.url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`)
  const open = async (name: string) => {
    const database = await openDatabase({ url: urlOf(name), log: silent, clock, entropy, poolMax })
    await migrate(database, { log: silent })
    const ledger = await openLedger({ database, url: urlOf(name), log: silent, clock, entropy })
    return {
      ledger,
      async close() {
        await ledger[Symbol.asyncDispose]()
        await database.close()
      },
    }
  }
  await ask(server.url, `create database ${filled}`)
  const first = await open(filled)
  await fill(first.ledger, names)
  await first.close()
  await ask(urlOf(filled), 'vacuum analyze')
  let made = 0
  return {
    pid: server.pid,
    async fresh() {
      made += 1
      const name = `round_${made}`
      await ask(server.url, `create database ${name} template ${filled}`)
      const { ledger, close } = await open(name)
      await warmUp(ledger)
      const counted = `select count(*)::int from evidence where kind = 'runner-death'`
      return {
        ledger,
        records: async () => (await ask(urlOf(name), counted))[0].count,
        async close() {
          await close()
          await ask(server.url, `drop database ${name}`)
        },
      }
    },
    async close() {
      await server.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A Holdfast that runs has its connections, and its statements are prepared on them. */
async function warmUp(ledger: Ledger): Promise<void> {
  const once = () => [
    ledger.now(),
    ledger.findRunner('nobody'),
    ledger.jobAtEnd(0),
    ledger.hostSamples({ podUid: 'nobody', node: null }),
  ]
  for (let times = 0; times < 2; times += 1) await Promise.all(Array.from({ length: poolMax }, once).flat())
}

async function fill(ledger: Ledger, names: ReadonlyMap<EndName, readonly string[]>): Promise<void> {
  const fairness = { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: longMs }
  const pools = endNames.map((name) => ({
    ...poolDefaults,
    name,
    labels: [name],
    minWarm: 0,
    maxRunners: 10_000,
    priorities: [],
    fairness,
  }))
  await ledger.putPools(pools, cause)
  let job = 0
  for (const [pool, all] of names) {
    for (const name of all) {
      job += 1
      await applyEvent(ledger, job, pool, 'queued', null)
      const start = { name, pool, host: hostId, identityHash: 'any', bootDeadlineMs: longMs }
      const runner = await ledger.enrol(start, cause)
      await ledger.polled(runner.id)
      const claimed = await ledger.claim(runner, crypto.randomUUID(), longMs)
      if (claimed.kind !== 'claimed') throw new Error(`${name} was given no job: ${claimed.kind}`)
      const { handle, forgeRunnerName } = claimed.claim.attempt
      await ledger.minted(handle, job, { keyId: 'key', bytes: new Uint8Array([1]) }, longMs)
      await ledger.deliver(handle, longMs)
      await applyEvent(ledger, job, pool, 'in_progress', forgeRunnerName)
      if (pool === 'clean') await applyEvent(ledger, job, pool, 'completed', forgeRunnerName)
    }
  }
}

async function applyEvent(
  ledger: Ledger,
  job: number,
  pool: string,
  status: 'queued' | 'in_progress' | 'completed',
  runnerName: string | null,
): Promise<void> {
  const facts = { installation: 'forge', forgeJobId: job, runId: job, runAttempt: 1, name: 'build' }
  await ledger.applyJobEvent(
    {
      job: { ...facts, repository: `acme/app-${job % 20}`, labels: [pool], visibility: 'private' },
      status,
      runnerName,
      conclusion: status === 'completed' ? 'success' : null,
      queuedAt: null,
      startedAt: null,
      completedAt: null,
    },
    cause,
  )
}

// biome-ignore lint/suspicious/noExplicitAny: rows as the statement names them
async function ask(url: string, statement: string): Promise<any[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
