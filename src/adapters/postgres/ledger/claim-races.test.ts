import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, delivered, enqueue, idleRunner, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(() => bench.empty())

const jobs = 200
const claimers = 10
const deadlineMs = 60_000
const claimsPerCut = 5

describe('claims at the same time', () => {
  it('give each of 200 jobs to one of 10 claimers, in two processes', { timeout: 60_000 }, async () => {
    const ledgers = [await bench.open(), await bench.open()]
    await fill(ledgers[0] as Ledger, linuxPool())
    const claimed = await claimAll(ledgers)
    expect(claimed.toSorted((a, b) => a - b)).toEqual(Array.from({ length: jobs }, (_, n) => n + 1))
    const { rows } = await bench.run(`
      select (select count(*)::int from attempts) as attempts,
             (select count(*)::int from runners where state = 'claimed') as runners,
             (select count(*)::int from timeline where kind = 'claimed') as logged`)
    expect(rows).toEqual([{ attempts: jobs, runners: jobs, logged: jobs }])
  })

  it('never exceed a cap, and use all of it', { timeout: 60_000 }, async () => {
    const ledgers = [await bench.open(), await bench.open()]
    await fill(ledgers[0] as Ledger, linuxPool({ capPerRepository: 3, capPerOwner: 8 }))
    await claimAll(ledgers)
    const { rows } = await bench.run(`
      select owner, repository, count(*)::int as jobs from jobs where state = 'claimed'
       group by owner, repository order by repository`)
    for (const row of rows) expect(row.jobs).toBeLessThanOrEqual(3)
    // Five repositories of one owner, and five of another.
    const byOwner = Map.groupBy(rows, ({ owner }) => owner)
    for (const [, of] of byOwner) expect(of.reduce((sum, { jobs: n }) => sum + n, 0)).toBe(8)
  })

  it('give a runner no second job when its poll is repeated meanwhile', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    for (const n of [1, 2, 3]) await enqueue(ledger, n)
    const runner = await idleRunner(ledger)
    const results = await Promise.all([1, 2, 3].map(() => ledger.claim(runner, randomUUID(), deadlineMs)))
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'nothing', 'nothing'])
  })

  it('give the same attempt to a claim that is repeated because its response was lost', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    for (const n of [1, 2]) await enqueue(ledger, n)
    const [runner, other] = [await idleRunner(ledger), await idleRunner(ledger)]
    const handle = randomUUID()
    const first = await ledger.claim(runner, handle, deadlineMs)
    // Another runner asks in the same statement: it must not suffer.
    const [again, others] = await Promise.all([
      ledger.claim(runner, handle, deadlineMs),
      ledger.claim(other, randomUUID(), deadlineMs),
    ])
    expect(again).toEqual({ kind: 'nothing' }) // `openAttempt` gives it: the runner does not poll any more
    expect((await ledger.openAttempt(runner.id))?.attempt.handle).toBe(handle)
    expect(first.kind).toBe('claimed')
    expect(others.kind).toBe('claimed')
  })

  it('do not use a handle twice, even for a runner that was set free', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    for (const n of [1, 2]) await enqueue(ledger, n)
    const [runner, other] = [await idleRunner(ledger), await idleRunner(ledger)]
    const handle = randomUUID()
    await ledger.claim(runner, handle, deadlineMs)
    const end = { kind: 'claimExpired', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const
    await ledger.endAttempt(handle, end, cause)
    const [again, others] = await Promise.all([
      ledger.claim(runner, handle, deadlineMs),
      ledger.claim(other, randomUUID(), deadlineMs),
    ])
    expect(again).toEqual({ kind: 'nothing' })
    expect(others.kind).toBe('claimed')
  })

  it('lose against a fence, or win before it', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    for (let n = 1; n <= 40; n += 1) {
      await enqueue(ledger, n)
      const runner = await idleRunner(ledger)
      const [claim, fence] = await Promise.all([
        ledger.claim(runner, randomUUID(), deadlineMs),
        ledger.fence(runner.id, 'drained', cause),
      ])
      const outcome = `${claim.kind} ${fence}`
      expect(['claimed refused', 'leave fenced', 'nothing fenced']).toContain(outcome)
    }
    const { rows } = await bench.run(`
      select count(*)::int as jobs from jobs where state = 'claimed'
         and not exists (select from attempts where job_id = jobs.id and ended_at is null)`)
    expect(rows).toEqual([{ jobs: 0 }])
  })
})

describe('a connection that is cut in the middle of claims', () => {
  it('loses no job and gives none twice', { timeout: 60_000 }, async () => {
    const ledger = await bench.open()
    await fill(ledger, linuxPool())
    const runners = await idleRunners(ledger, jobs)
    let answered = 0
    let cuts = 0
    // Paced by what was claimed, so that cutting never outruns connecting; the others are on their way meanwhile.
    const cut = async () => {
      const { rowCount } = await bench.run(`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'holdfast pool'`)
      cuts += rowCount ?? 0
    }
    const claim = async () => {
      for (let runner = runners.pop(); runner !== undefined; runner = runners.pop()) {
        await claimUntilAnswered(ledger, runner)
        answered += 1
        if (answered % claimsPerCut === 0) await cut()
      }
    }
    await Promise.all(Array.from({ length: claimers }, claim))
    expect(cuts).toBeGreaterThanOrEqual(jobs / claimsPerCut / 2)
    const { rows } = await bench.run(`
      select count(*)::int as attempts, count(distinct job_id)::int as jobs, count(distinct runner_id)::int as runners
        from attempts where ended_at is null`)
    expect(rows).toEqual([{ attempts: jobs, jobs, runners: jobs }])
  })

  it('logs a repeated step once', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    const jobId = await enqueue(ledger, 1)
    const { attempt } = await delivered(ledger)
    for (let n = 0; n < 5; n += 1) {
      await bench.run(`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'holdfast pool'`)
      await untilAnswered(() => ledger.acknowledge(attempt.handle))
    }
    const file = await untilAnswered(() => ledger.jobFile(jobId))
    expect(file?.timeline.filter(({ kind }) => kind === 'acknowledged')).toHaveLength(1)
  })
})

async function fill(ledger: Ledger, pool: ReturnType<typeof linuxPool>): Promise<void> {
  await ledger.putPools([pool], cause)
  for (let n = 1; n <= jobs; n += 1) await enqueue(ledger, n, `owner-${n % 2}/repository-${n % 10}`)
}

async function idleRunners(ledger: Ledger, count: number): Promise<Runner[]> {
  const runners: Runner[] = []
  for (let n = 0; n < count; n += 1) runners.push(await idleRunner(ledger))
  return runners
}

/** Claims with all claimers at once until nothing is left; gives the jobs' ids. */
async function claimAll(ledgers: readonly Ledger[]): Promise<number[]> {
  const claimed: number[] = []
  const claimer = async (_: unknown, nth: number) => {
    const ledger = ledgers[nth % ledgers.length] as Ledger
    for (;;) {
      const result = await ledger.claim(await idleRunner(ledger), randomUUID(), deadlineMs)
      if (result.kind !== 'claimed') return
      claimed.push(result.claim.job.id)
    }
  }
  await Promise.all(Array.from({ length: claimers }, claimer))
  return claimed
}

/** As a poller does: the same handle again when nobody knows what became of it, and then what is open. */
async function claimUntilAnswered(ledger: Ledger, runner: Runner): Promise<void> {
  const handle = randomUUID()
  for (;;) {
    const result = await untilAnswered(() => ledger.claim(runner, handle, deadlineMs))
    const open = await untilAnswered(() => ledger.openAttempt(runner.id))
    expect(open?.attempt.handle ?? null).toBe(open === null ? null : handle)
    if (open !== null) return
    expect(result.kind).toBe('nothing') // it was cut off before it took effect, or all candidates were held
  }
}

async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof HoldfastError) || !error.entry.retryable) throw error
    }
  }
}
