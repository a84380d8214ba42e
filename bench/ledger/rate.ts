import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { ClaimingRunner } from '../../src/ports/ledger.ts'
import { fillQueue, fillRaw, fillRunners, rawClaim, rawClaimOfJobs, withClient } from './fill.ts'
import type { BenchDatabase } from './ground.ts'

/** Claims a second of the fastest honest loop, on the narrowest table that it can work on. */
export async function rawRate(url: string, claims: number, connections: number): Promise<number> {
  await withClient(url, (client) => fillRaw(client, claims + connections))
  return loopRate(url, claims, connections, rawClaim)
}

/**
 * The same loop on the ledger's own table of jobs, with its columns, indexes and checks, and nothing else written; without
 * its triggers, which refuse a claim that has no attempt.
 */
export async function rawRateOnJobs(url: string, claims: number, connections: number): Promise<number> {
  await withClient(url, async (client) => {
    await fillQueue(client, claims + connections, 20)
    await client.query('vacuum analyze jobs')
  })
  return loopRate(url, claims, connections, rawClaimOfJobs, '-c session_replication_role=replica')
}

/** One prepared statement, one row, one commit, on each connection. */
async function loopRate(
  url: string,
  claims: number,
  connections: number,
  statement: typeof rawClaim,
  options = '',
): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: url, options })
      await client.connect()
      return client
    }),
  )
  const rate = await timed(claims, connections, async (worker) => {
    const { rowCount } = await (clients[worker] as pg.Client).query(statement)
    if (rowCount !== 1) throw new Error('the raw loop ran out of jobs')
  })
  await Promise.all(clients.map((client) => client.end()))
  return rate
}

/** Claims a second of the ledger, with as many callers at once as the raw loop has connections. */
export async function ourRate(
  bench: BenchDatabase,
  claims: number,
  callers: number,
  repositories: number,
): Promise<number> {
  const runners = await withClient(bench.url, async (client) => {
    await fillQueue(client, claims, repositories)
    const ids = await fillRunners(client, claims)
    await client.query('vacuum analyze jobs, runners, attempts, timeline')
    return ids
  })
  let next = 0
  return timed(claims, callers, async () => {
    const result = await bench.ledger.claim(runners[next++] as ClaimingRunner, randomUUID(), 60_000)
    if (result.kind !== 'claimed') throw new Error(`the ledger gave ${result.kind}`)
  })
}

/** Runs `times` calls, `workers` at once; gives calls a second. */
async function timed(
  times: number,
  workers: number,
  call: (worker: number) => Promise<void>,
): Promise<number> {
  let left = times
  const began = performance.now()
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (left-- > 0) await call(worker)
    }),
  )
  return (times * 1_000) / (performance.now() - began)
}
