import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { withClient } from '../../ledger/fill.ts'
import type { BenchDatabase, Ground } from '../../ledger/ground.ts'
import { atLeast, atMost, type BenchContext, median, percentile, type Row } from '../../report.ts'
import { type Child, startChild } from '../child.ts'
import { signedRequests } from './bodies.ts'
import { load, type Measured } from './load.ts'

const goal = 0.6
const rounds = 5
/** As many as the pool of ours has; the ledger's own default. */
const poolMax = 16
/** GitHub gives up on an answer after this. */
const patienceMs = 10_000
const workedOffWithinMs = 120_000

type Kind = 'bare' | 'held' | 'whole'

/**
 * Deliveries accepted a second (verified, stored, answered 202) against a bare server with one INSERT a request,
 * on the same Postgres with every commit durable, with the same client, messages and number of connections.
 */
export async function acceptRows(ground: Ground, { quick, say }: BenchContext): Promise<Row[]> {
  /** Fewer with intake at work: each takes longer, and these are enough. */
  const countOf = (kind: Kind, connections: number) => {
    const count = quick ? 300 : connections === 1 ? 400 : 2_000
    return kind === 'whole' ? Math.min(count, 400) : count
  }
  const rows: Row[] = []
  const place = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-webhooks-'))
  const [bare, held, whole] = [await ground.database(), await ground.database(), await ground.database()]
  const secret = randomBytes(16).toString('hex')
  const servers: Record<Kind, Child> = {
    bare: await startChild(new URL('./bare.ts', import.meta.url), {
      DATABASE_URL: bare.url,
      POOL_MAX: String(poolMax),
    }),
    held: await startOurs(path.join(place, 'held'), held, secret, 'held'),
    whole: await startOurs(path.join(place, 'whole'), whole, secret, 'at-work'),
  }
  let jobs = 1
  const measure = async (kind: Kind, connections: number): Promise<Measured> => {
    const { url } = servers[kind]
    const count = countOf(kind, connections)
    const requests = signedRequests(count, jobs, secret, new URL(url).host)
    jobs += count
    return load(url, requests, connections)
  }
  try {
    for (const connections of [1, 16, 48]) {
      const measured: Record<Kind, Measured[]> = { bare: [], held: [], whole: [] }
      await measure('bare', connections) // each has met its code and its database once
      await measure('held', connections)
      const workedOff: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        measured.bare.push(await measure('bare', connections))
        measured.held.push(await measure('held', connections))
        const began = performance.now()
        measured.whole.push(await measure('whole', connections))
        await untilWorkedOff(whole)
        workedOff.push((countOf('whole', connections) * 1_000) / (performance.now() - began))
      }
      const rate = (kind: Kind) => median(measured[kind].map(({ perSecond }) => perSecond))
      const p99 = (kind: Kind) => median(measured[kind].map(({ answerMs }) => percentile(answerMs, 0.99)))
      const shown = (kind: Kind) => measured[kind].map(({ perSecond }) => Math.round(perSecond)).join(' ')
      say(`at ${connections}: bare ${shown('bare')}, ours ${shown('held')}, with intake ${shown('whole')}`)
      const at = `at ${connections} connection(s)`
      rows.push(
        atLeast(`deliveries accepted ${at}`, 'per s', rate('held'), rate('bare'), goal),
        atLeast(`… with intake at work`, 'per s', rate('whole'), rate('bare'), null),
        atLeast(`… accepted and worked off`, 'per s', median(workedOff), rate('bare'), null),
        atMost(`p99 of the answer ${at}`, 'ms', p99('held'), p99('bare'), null),
        atMost(`… with intake at work, of GitHub's patience`, 'ms', p99('whole'), patienceMs, 1),
      )
    }
    return rows
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()))
    await Promise.all([bare, held, whole].map((database) => database.close()))
    await rm(place, { recursive: true, force: true })
  }
}

function startOurs(dataDir: string, { url }: BenchDatabase, secret: string, intake: string): Promise<Child> {
  return startChild(new URL('./program.ts', import.meta.url), {
    BENCH_INTAKE: intake,
    DATABASE_URL: url,
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_HTTP_PORT: '0',
    HOLDFAST_FORGE_SIMULATED_PORT: '0',
    HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([secret]),
    HOLDFAST_LOG_FORMAT: 'json',
    HOLDFAST_LOG_LEVEL: 'warn',
  })
}

/** Until nothing that was stored waits any more. */
async function untilWorkedOff({ url }: BenchDatabase): Promise<void> {
  const giveUpAt = performance.now() + workedOffWithinMs
  await withClient(url, async (client) => {
    for (;;) {
      const { rows } = await client.query(
        `select count(*)::int as left from deliveries where state = 'pending'`,
      )
      if (rows[0].left === 0) return
      if (performance.now() > giveUpAt) throw new Error(`${rows[0].left} deliveries were never worked on`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
}
