import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import {
  cause,
  complete,
  delivered,
  die,
  enqueue,
  idleRunner,
  linuxPool,
} from '../../../../test/support/ledger-steps.ts'
import type { JobFile, Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

const everything = 1_000
const dayMs = 86_400_000

describe('the archive', () => {
  it('takes every row of a job that ended and of its runner, and leaves one document', async () => {
    const { jobId, runnerId } = await finished(1)
    await die(ledger, runnerId)
    await ledger.recordDecision({ rule: 'r', jobId, attemptId: null, runnerId: null, facts: {}, actions: [] })
    await ledger.recordDecision({ rule: 'r', jobId: null, attemptId: null, runnerId, facts: {}, actions: [] })
    const before = await ledger.jobFile(jobId)
    expect(await ledger.archive(0, everything)).toBe(1)
    expect(await counts()).toEqual({
      jobs: 0,
      attempts: 0,
      runners: 0,
      evidence: 0,
      timeline: 0,
      decisions: 0,
      archived: 1,
    })
    expect(await ledger.jobFile(jobId)).toEqual({ ...before, archived: true })
    expect(before?.evidence.map(({ kind }) => kind).toSorted()).toEqual(['forge-word', 'runner-death'])
  })

  it('touches nothing that is open, whatever its age', async () => {
    const queued = await enqueue(ledger, 1)
    await enqueue(ledger, 2)
    const { attempt } = await delivered(ledger)
    const idle = await idleRunner(ledger)
    await ledger.storeDelivery({ guid: 'open', installation: 'forge', event: 'e', subject: null, body: '{}' })
    await bench.behind(
      `update jobs set seen_at = now() - interval '1 year', waiting_since = now() - interval '1 year'`,
    )
    const files = async () => [await ledger.jobFile(queued), await ledger.jobFile(queued + 1)]
    const before = await files()
    expect(await ledger.archive(0, everything)).toBe(0)
    expect(await ledger.purge(0, everything)).toBe(0)
    expect(await files()).toEqual(before)
    expect((await ledger.openAttempt(attempt.runnerId))?.attempt.handle).toBe(attempt.handle)
    expect((await ledger.runners(everything)).rows.map(({ id }) => id)).toContain(idle.id)
    expect(await ledger.pendingDeliveries(10)).toHaveLength(1)
  })

  it('keeps the job of a runner that lives, and shows its death in the file later', async () => {
    const { jobId, runnerId } = await finished(1)
    await ledger.archive(0, everything)
    expect(deathsIn(await ledger.jobFile(jobId))).toEqual([])
    await die(ledger, runnerId)
    expect(deathsIn(await ledger.jobFile(jobId))).toEqual([runnerId]) // read from where it is sealed
    const file = await ledger.jobFile(jobId)
    await ledger.archive(0, everything)
    expect(await counts()).toMatchObject({ runners: 0, evidence: 0, timeline: 0 })
    expect(await ledger.jobFile(jobId)).toEqual({ ...file, archived: true }) // and now from the archive
  })

  it('keeps a runner as long as one of its jobs is not archived', async () => {
    await enqueue(ledger, 1)
    const { attempt, job } = await delivered(ledger)
    await die(ledger, attempt.runnerId)
    await ledger.archive(0, everything)
    expect((await ledger.runners(everything)).rows.map(({ id }) => id)).toEqual([attempt.runnerId])
    expect(deathsIn(await ledger.jobFile(job.id))).toEqual([attempt.runnerId])
  })

  it('takes away a runner that never had a job, with its death, and not before its time', async () => {
    const runner = await idleRunner(ledger)
    await die(ledger, runner.id)
    await ledger.archive(dayMs, everything)
    expect(await counts()).toMatchObject({ runners: 1, evidence: 1 })
    await ledger.archive(0, everything)
    expect(await counts()).toMatchObject({ runners: 0, evidence: 0, timeline: 0 })
  })

  it('keeps the death of a runner as long as a job that went on after it', async () => {
    const { jobId, runnerId } = await finished(1)
    await die(ledger, runnerId)
    await ledger.archive(0, everything)
    await bench.run(`update archived_runners set ended_at = now() - interval '3 days'`)
    await bench.run(`update archived_jobs set ended_at = now() - interval '1 day'`)
    expect(await ledger.purge(2 * dayMs, everything)).toBe(0)
    expect(deathsIn(await ledger.jobFile(jobId))).toEqual([runnerId])
    await bench.run(`update archived_jobs set ended_at = now() - interval '3 days'`)
    expect(await ledger.purge(2 * dayMs, everything)).toBe(1)
    expect(await ledger.deathsAfter(0, everything)).toEqual([])
  })

  it('reads files of earlier versions, which hold deaths themselves', async () => {
    const { jobId, runnerId } = await finished(1)
    await die(ledger, runnerId)
    const before = await ledger.jobFile(jobId)
    await ledger.archive(0, everything)
    await bench.run(
      `
      update archived_jobs
         set file = jsonb_set(file, '{evidence}', $1), runner_ids = '{}'`,
      [JSON.stringify(before?.evidence)],
    )
    expect(await ledger.jobFile(jobId)).toEqual({ ...before, archived: true })
  })

  it('takes away deliveries that are settled once no forge delivers them again, and keeps those that wait', async () => {
    for (const guid of ['done', 'ignored', 'poison', 'failed', 'new']) {
      await ledger.storeDelivery({ guid, installation: 'forge', event: 'e', subject: null, body: '{}' })
    }
    for (const kind of ['done', 'ignored', 'poison'] as const) {
      await ledger.settleDelivery(kind, { kind, note: '' })
    }
    await ledger.settleDelivery('failed', { kind: 'failed', note: 'no', retryInMs: 0 })
    const kept = async () => (await ledger.deliveries({ limit: 10 })).map(({ guid }) => guid).toSorted()
    await bench.run(`update deliveries set settled_at = settled_at - interval '3 days 1 hour'`)
    await ledger.archive(0, everything)
    expect(await kept()).toEqual(['done', 'failed', 'ignored', 'new', 'poison'])
    await bench.run(`update deliveries set settled_at = settled_at - interval '1 day'`)
    await ledger.archive(5 * dayMs, everything)
    expect(await kept()).toEqual(['done', 'failed', 'ignored', 'new', 'poison'])
    await ledger.archive(0, everything)
    expect(await kept()).toEqual(['failed', 'new', 'poison'])
  })

  it('takes away holds that are over, and keeps those that last', async () => {
    const incident = { kind: 'actions-disabled', installation: 'forge', scope: 'repository' } as const
    await ledger.raiseIncident({ ...incident, key: 'acme/over', reason: '' }, 0)
    await ledger.raiseIncident({ ...incident, key: 'acme/lasting', reason: '' }, dayMs)
    await ledger.archive(0, everything)
    const { rows } = await bench.run('select key from holds')
    expect(rows).toEqual([{ key: 'acme/lasting' }])
  })

  it('leaves the job that a runner of an archived job was claimed for first', async () => {
    await enqueue(ledger, 1)
    const { attempt } = await delivered(ledger)
    const other = await enqueue(ledger, 2)
    await complete(ledger, 2, attempt.forgeRunnerName) // the forge had swapped them
    await die(ledger, attempt.runnerId)
    expect(await ledger.archive(0, everything)).toBe(1)
    expect((await ledger.jobFile(other))?.archived).toBe(true)
    expect(await ledger.jobFile(attempt.claimedJobId)).toMatchObject({
      archived: false,
      job: { state: 'queued' },
    })
  })
})

async function finished(forgeJobId: number): Promise<{ jobId: number; runnerId: number }> {
  await enqueue(ledger, forgeJobId)
  const { attempt, job } = await delivered(ledger)
  await complete(ledger, forgeJobId, attempt.forgeRunnerName)
  return { jobId: job.id, runnerId: attempt.runnerId }
}

function deathsIn(file: JobFile | null): (number | null)[] {
  return (file?.evidence ?? []).filter(({ kind }) => kind === 'runner-death').map(({ runnerId }) => runnerId)
}

async function counts(): Promise<Record<string, number>> {
  const { rows } = await bench.run(`
    select (select count(*)::int from jobs) as jobs, (select count(*)::int from attempts) as attempts,
           (select count(*)::int from runners) as runners, (select count(*)::int from evidence) as evidence,
           (select count(*)::int from timeline) as timeline, (select count(*)::int from decisions) as decisions,
           (select count(*)::int from archived_jobs) as archived`)
  return rows[0]
}
