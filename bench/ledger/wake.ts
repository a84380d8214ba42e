import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createWaiters } from '../../src/dispatch/index.ts'
import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type { Runner } from '../../src/domain/runner/index.ts'
import { recordedLog } from '../../test/support/machine.ts'
import { atMost, type BenchContext, percentile, type Row } from '../report.ts'
import { fillRaw, fillRunners, rawClaim, rawInsert, withClient } from './fill.ts'
import { type BenchDatabase, clock, type Ground } from './ground.ts'

const goal = 2

/**
 * From a job's arrival to its claim by a waiting poll, against a bare NOTIFY between two connections, which writes
 * nothing, and against the same path in plain SQL: insert and NOTIFY, wake, claim, each durable.
 */
export async function wakeRows(ground: Ground, { quick, say }: BenchContext): Promise<Row[]> {
  const times = quick ? 100 : 1_000
  const bench = await ground.database()
  const bare = (await bareNotify(bench.url, times)).toSorted((a, b) => a - b)
  const raw = (await rawPath(bench.url, times)).toSorted((a, b) => a - b)
  const ours = await enqueueToClaim(bench, times)
  await bench.close()
  const sorted = (of: keyof Measured) => ours.map((one) => one[of]).toSorted((a, b) => a - b)
  const whole = sorted('claimedMs')
  const rung = sorted('rungMs')
  say(
    `where the time goes (p50): enqueue committed ${percentile(sorted('committedMs'), 0.5).toFixed(2)} ms, ` +
      `waiter rung ${percentile(rung, 0.5).toFixed(2)} ms, claimed ${percentile(whole, 0.5).toFixed(2)} ms`,
  )
  const row = (what: string, values: readonly number[], share: number) =>
    atMost(what, 'ms', percentile(values, share), percentile(bare, share), goal)
  const againstRaw = (what: string, share: number) =>
    atMost(what, 'ms', percentile(whole, share), percentile(raw, share), null)
  return [
    row('enqueue → claimed, p50', whole, 0.5),
    row('enqueue → claimed, p99', whole, 0.99),
    againstRaw('enqueue → claimed, p50, against plain SQL', 0.5),
    againstRaw('enqueue → claimed, p99, against plain SQL', 0.99),
    atMost(
      'enqueue committed → waiter rung, p50',
      'ms',
      percentile(sorted('wakeMs'), 0.5),
      percentile(bare, 0.5),
      null,
    ),
  ]
}

/** A NOTIFY on one connection until it is received on another. */
async function bareNotify(url: string, times: number): Promise<number[]> {
  const [speaker, listener] = [new pg.Client(url), new pg.Client(url)]
  await Promise.all([speaker.connect(), listener.connect()])
  await listener.query('listen bare')
  const samples: number[] = []
  for (let n = 0; n < times; n += 1) {
    const received = new Promise((resolve) => listener.once('notification', resolve))
    const began = performance.now()
    await speaker.query('notify bare')
    await received
    samples.push(performance.now() - began)
  }
  await Promise.all([speaker.end(), listener.end()])
  return samples
}

/** A row and its NOTIFY on one connection until another has claimed it, woken by a third. */
async function rawPath(url: string, times: number): Promise<number[]> {
  const clients = [new pg.Client(url), new pg.Client(url), new pg.Client(url)] as const
  const [speaker, listener, claimer] = clients
  await Promise.all(clients.map((client) => client.connect()))
  await fillRaw(speaker, 0)
  await listener.query('listen raw')
  const samples: number[] = []
  for (let n = 1; n <= times; n += 1) {
    const received = new Promise((resolve) => listener.once('notification', resolve))
    const began = performance.now()
    const inserted = speaker.query({ ...rawInsert, values: [n] })
    await received
    await claimer.query(rawClaim)
    samples.push(performance.now() - began)
    await inserted
  }
  await Promise.all(clients.map((client) => client.end()))
  return samples
}

interface Measured {
  readonly committedMs: number
  readonly rungMs: number
  readonly claimedMs: number
  /** From the commit of the enqueue, or from the bell where it rang first. */
  readonly wakeMs: number
}

async function enqueueToClaim({ ledger, url }: BenchDatabase, times: number): Promise<Measured[]> {
  const runners = await withClient(url, (client) => fillRunners(client, times))
  const waiters = createWaiters(ledger, clock, recordedLog())
  const signal = new AbortController().signal
  const samples: Measured[] = []
  for (const [n, runner] of runners.entries()) {
    const waiter = waiters.join(runner as Runner)
    let rungMs = 0
    const began = performance.now()
    const since = () => performance.now() - began
    const claimed = waiter.wait(10_000, signal).then(async () => {
      rungMs = since()
      const result = await ledger.claim(runner, randomUUID(), 60_000)
      if (result.kind !== 'claimed') throw new Error(`the ledger gave ${result.kind}`)
      return since()
    })
    await ledger.applyJobEvent(jobEventOf(n), { source: 'webhook' })
    const committedMs = since()
    const claimedMs = await claimed
    waiter.leave()
    samples.push({ committedMs, rungMs, claimedMs, wakeMs: Math.max(0, rungMs - committedMs) })
  }
  waiters.close()
  return samples
}

function jobEventOf(n: number): JobEvent {
  return {
    job: {
      installation: 'bench',
      forgeJobId: 1_000_000_000 + n,
      runId: n,
      runAttempt: 1,
      visibility: 'private',
      repository: 'acme/web',
      name: 'test',
      labels: ['self-hosted'],
    },
    status: 'queued',
    runnerName: null,
    conclusion: null,
    queuedAt: null,
    startedAt: null,
    completedAt: null,
  }
}
