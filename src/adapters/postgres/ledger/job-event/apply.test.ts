import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../../test/support/ledger.ts'
import { cause, delivered, enqueue, linuxPool } from '../../../../../test/support/ledger-steps.ts'
import type { Claim, Ledger } from '../../../../ports/ledger.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
  await bench.run('alter domain job_state drop constraint job_state_check')
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

const jobsMax = 50

describe('events that come together', () => {
  it('are applied although one of them fails, and the delivery of that one stays pending', async () => {
    const claims = await deliverAll(5)
    await bench.behind(`update jobs set state = 'paused' where forge_job_id = 3`)
    const results = await Promise.allSettled(claims.map((claim) => ledger.applyJobEvent(...start(claim))))
    const outcomes = new Map(claims.map(({ job }, n) => [job.forgeJobId, results[n]]))
    for (const [forgeJobId, outcome] of outcomes) {
      if (forgeJobId === 3) expect(outcome).toMatchObject({ reason: { code: 'E_LEDGER_ROW' } })
      else expect(outcome).toMatchObject({ value: { kind: 'changed' } })
    }
    expect((await ledger.pendingDeliveries(10)).map(({ guid }) => guid)).toEqual(['start 3'])
  })

  it('take a few transactions, not one each', async () => {
    const claims = await deliverAll(jobsMax)
    await Promise.all(claims.map((claim) => ledger.applyJobEvent(...start(claim))))
    const { rows } = await bench.run(`
      select count(distinct xmin::text)::integer as writes, count(*)::integer as jobs from jobs where state = 'running'`)
    expect(rows[0]).toMatchObject({ jobs: jobsMax })
    expect(rows[0].writes).toBeLessThanOrEqual(4)
  })

  it('are applied once by two processes that receive them at the same time, in another order', async () => {
    const claims = await deliverAll(jobsMax)
    const other = await bench.open()
    const results = await Promise.all([
      ...claims.map((claim) => ledger.applyJobEvent(...start(claim))),
      ...claims.toReversed().map((claim) => other.applyJobEvent(...start(claim))),
    ])
    expect(results.filter(({ kind }) => kind === 'changed')).toHaveLength(jobsMax)
    expect(await ledger.pendingDeliveries(10)).toEqual([])
    const { rows } = await bench.run(`
      select count(*)::integer as rows, count(distinct job_id)::integer as jobs
        from timeline where subject = 'job' and kind = 'started'`)
    expect(rows).toEqual([{ rows: jobsMax, jobs: jobsMax }])
  })

  it('announce each job once to two processes that receive them at the same time', async () => {
    const other = await bench.open()
    const numbers = Array.from({ length: jobsMax }, (_, n) => n + 1)
    const applyEvent = (by: Ledger) => (n: number) => by.applyJobEvent(eventOf(n, 'queued', null), cause)
    const results = await Promise.all([
      ...numbers.map(applyEvent(ledger)),
      ...numbers.toReversed().map(applyEvent(other)),
    ])
    expect(results.filter(({ kind }) => kind === 'new')).toHaveLength(jobsMax)
    const { rows } = await bench.run('select count(*)::integer as jobs from jobs')
    expect(rows).toEqual([{ jobs: jobsMax }])
  })
})

/** Delivers so many jobs to a runner each, and stores a webhook delivery about the start of each. */
async function deliverAll(count: number): Promise<Claim[]> {
  const claims: Claim[] = []
  for (let n = 1; n <= count; n += 1) {
    await enqueue(ledger, n)
    claims.push(await delivered(ledger))
    const delivery = {
      guid: `start ${n}`,
      installation: 'forge',
      event: 'workflow_job',
      subject: null,
      body: '',
    }
    await ledger.storeDelivery(delivery)
  }
  return claims
}

function start({ attempt, job }: Claim): Parameters<Ledger['applyJobEvent']> {
  return [eventOf(job.forgeJobId, 'in_progress', attempt.forgeRunnerName), cause, `start ${job.forgeJobId}`]
}

function eventOf(forgeJobId: number, status: 'queued' | 'in_progress', runnerName: string | null) {
  const job = {
    installation: 'forge',
    forgeJobId,
    runId: 1,
    runAttempt: 1,
    visibility: 'private' as const,
    repository: 'acme/app',
    name: 'build',
    labels: ['self-hosted'],
  }
  return { job, status, runnerName, conclusion: null, queuedAt: null, startedAt: 1, completedAt: null }
}
