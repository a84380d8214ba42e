import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import { freePort } from '../../src/main/machine/free-port.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import type { Log } from '../../src/ports/log.ts'
import { type FaultyForge, startForge } from './forge/start.ts'
import { type Holdfast, startHoldfast } from './holdfast/start.ts'
import { type LedgerReader, readLedger } from './ledger.ts'
import { labels, owners } from './workload.ts'

/** Holdfast, its Postgres and its forge, each a process of its own, with HTTP between all of them. */
export interface World {
  readonly folder: string
  readonly forge: FaultyForge
  readonly ledger: LedgerReader
  readonly holdfast: Holdfast
  /** Ends all of it; returns the problems of Holdfast's shutdown as text. */
  close(keep: boolean): Promise<readonly string[]>
}

export interface WorldOptions {
  /** How many times faster than outside the clocks of deadlines run here. */
  readonly faster: number
  readonly runnersMax: number
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }
const minuteMs = 60_000
/** GitHub's own limits, for each installation. */
const githubPoints = 900
const atOnceMax = 100

export async function openWorld({ faster, runnersMax }: WorldOptions): Promise<World> {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-forge-faults-'))
  await chmod(folder, 0o755) // the database's own user must be able to enter it
  const secret = () => randomBytes(16).toString('hex')
  const [token, webhookSecret] = [secret(), secret()]
  const port = await freePort('127.0.0.1')
  const postgres = await startEmbedded({
    dataDir: path.join(folder, 'database'),
    log: silent,
    clock: createClock(),
    entropy: createEntropy(),
  })
  const closers: (() => Promise<unknown>)[] = [() => postgres.stop()]
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close()
  }
  try {
    const databaseUrl = await makeDatabase(postgres.url)
    const forge = await startForge({
      folder: path.join(folder, 'forge'),
      token,
      webhookSecret,
      webhookUrl: `http://127.0.0.1:${port}/webhooks/forge`,
      delays: forgeDelays(faster),
    })
    closers.push(() => forge.stop())
    await forge.order('POST', 'pace', { pointsPerMinute: pointsPerMinute(faster), atOnceMax })
    for (const account of owners) await forge.order('POST', 'installations', { account })
    const holdfast = await startHoldfast(path.join(folder, 'data'), {
      DATABASE_URL: databaseUrl,
      HOLDFAST_HTTP_PORT: String(port),
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_URL: forge.url,
      HOLDFAST_FORGE_APP_ID: String(forge.appId),
      HOLDFAST_FORGE_APP_PRIVATE_KEY: forge.privateKeyPem,
      HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([webhookSecret]),
      HOLDFAST_POOLS: JSON.stringify([{ name: 'fleet', labels, minWarm: 4, maxRunners: runnersMax }]),
      HOLDFAST_FORGE_POINTS_PER_MINUTE: String(pointsPerMinute(faster)),
      ...deadlines(faster),
    })
    closers.push(() => holdfast.stop())
    const ledger = await readLedger(databaseUrl)
    closers.push(() => ledger.close())
    return {
      folder,
      forge,
      holdfast,
      ledger,
      async close(keep) {
        await ledger.close()
        closers.pop()
        const { code, signal } = await holdfast.stop()
        closers.pop()
        await closeAll()
        if (!keep) await rm(folder, { recursive: true, force: true })
        return code === 0 ? [] : [`Holdfast ended with ${signal ?? code}`]
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** GitHub's points per minute, scaled to the shorter minute. */
function pointsPerMinute(faster: number): number {
  return githubPoints * faster
}

/** GitHub's own, as far as they are known, in faster time. */
function forgeDelays(faster: number): Record<string, number> {
  const scaled = (ms: number) => Math.round(ms / faster)
  return {
    jitExpiresAfterMs: scaled(5 * minuteMs),
    offlineAfterMs: scaled(2 * minuteMs),
    lostAfterMs: scaled(10 * minuteMs),
    cancelForcedAfterMs: scaled(5 * minuteMs),
    renewEveryMs: scaled(minuteMs),
    pollHoldMs: scaled(50_000),
  }
}

/**
 * Holdfast's defaults, in faster time. A mint's deadline stands above the timeout of one call, which is not
 * scaled, as it does outside.
 */
function deadlines(faster: number): Record<string, string> {
  const scaled = (ms: number) => String(Math.round(ms / faster))
  return {
    HOLDFAST_DISPATCH_POLL_MS: scaled(30_000),
    HOLDFAST_DISPATCH_MINT_DEADLINE_MS: '20000',
    HOLDFAST_DISPATCH_REGISTER_DEADLINE_MS: scaled(2 * minuteMs),
    HOLDFAST_DISPATCH_START_DEADLINE_MS: scaled(5 * minuteMs),
    HOLDFAST_RECOVERY_TICK_MS: scaled(5_000),
    HOLDFAST_RECOVERY_REDELIVER_EVERY_MS: scaled(2 * minuteMs),
    HOLDFAST_RECOVERY_STALE_QUEUED_AFTER_MS: scaled(10 * minuteMs),
    HOLDFAST_RECOVERY_AUDIT_EVERY_MS: scaled(5 * minuteMs),
    HOLDFAST_SHUTDOWN_DRAIN_MS: '5000',
  }
}

async function makeDatabase(serverUrl: string): Promise<string> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  await client.query('create database faults')
  await client.end()
  return serverUrl.replace(/\/[^/?]*(\?|$)/, '/faults$1')
}
