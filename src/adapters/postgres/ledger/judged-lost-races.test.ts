import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, delivered, enqueue, jobEventOf, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { aDeathRecord, anEnd, aPodEnd } from '../../../domain/death/testing.ts'
import type { Claim, Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const jobs = 60
const completedAt = 1_700_000_000_000
const drained = aDeathRecord({
  class: 'node-drained',
  confidence: 'likely',
  ending: anEnd({ endedAt: completedAt + 8_000, pod: aPodEnd({ deletedAt: completedAt - 2_000 }) }),
})

it('a death and a job event that come at once make each job lost, and one of the two says so', async () => {
  const [a, b] = [await bench.open(), await bench.open()] as const
  await a.putPools([linuxPool()], cause)
  const claims: Claim[] = []
  for (let n = 1; n <= jobs; n += 1) {
    await enqueue(a, n)
    claims.push(await delivered(a))
  }
  const outcomes = await Promise.all(claims.map((claim, n) => meet(claim, n % 2 === 0 ? [a, b] : [b, a])))
  const reported = outcomes.filter((outcome) => outcome.isLostByEvent).length
  const judged = outcomes.filter(({ sealed }) => sealed === 'lost').length
  const { rows } = await bench.run(`
    select (select count(*)::int from jobs where state = 'lost' and conclusion = 'cancelled') as lost,
           (select count(*)::int from timeline where subject = 'job' and kind = 'lost') as reported,
           (select count(*)::int from timeline where subject = 'job' and kind = 'judgedLost') as judged`)
  expect(rows).toEqual([{ lost: jobs, reported, judged }])
  expect(reported + judged).toBe(jobs)
}, 60_000)

async function meet({ job, attempt }: Claim, [applies, seals]: readonly [Ledger, Ledger]) {
  const over = {
    ...jobEventOf(job.forgeJobId, job.repository, 'completed'),
    conclusion: 'cancelled',
    completedAt,
  }
  const [result, sealed] = await Promise.all([
    applies.applyJobEvent({ ...over, runnerName: attempt.forgeRunnerName }, cause),
    seals.sealDeath(attempt.runnerId, drained, 'node-drained', cause),
  ])
  return { sealed, isLostByEvent: 'isLost' in result }
}
