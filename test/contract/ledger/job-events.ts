import { expect, it } from 'vitest'
import type { ApplyResult } from '../../../src/ports/ledger.ts'
import {
  type Bench,
  cause,
  completed,
  contractInstallation,
  type Held,
  jobEvent,
  type MakeLedger,
  started,
  topic,
} from './kit.ts'

/** Job events that came by deliveries, one at a time and many together. */
export function jobEvents(make: MakeLedger): void {
  topic('job events', make, (bench) => {
    const store = async (guid: string, subject: string | null = null) =>
      await bench().ledger.storeDelivery({
        guid,
        installation: contractInstallation,
        event: 'workflow_job',
        subject,
        body: '{}',
      })
    const rowOf = async (guid: string) =>
      (await bench().ledger.deliveries({ limit: 100 })).find((row) => row.guid === guid)
    const pending = async () => (await bench().ledger.pendingDeliveries(100)).map(({ guid }) => guid)

    it('settles the delivery that announced a new job', async () => {
      await store('one')
      await store('two')
      const result = await bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause, 'one')
      expect(result.kind).toBe('new')
      expect(await rowOf('one')).toMatchObject({
        state: 'done',
        note: 'new',
        tries: 1,
        settledAt: expect.any(Number),
      })
      expect(await pending()).toEqual(['two'])
    })

    it.each([
      ['an event that changes a job', 'changed', 'done', 'changed'],
      ['an event that repeats what is known', 'nothing', 'done', 'nothing'],
      ['a job that nobody here serves', 'foreign', 'ignored', 'no pool of ours serves its labels'],
      ['a job that is new and runs already', 'new', 'done', 'new'],
    ] as const)('settles the delivery of %s', async (_, kind, state, note) => {
      await store('one')
      await bench().queue(1)
      const events = {
        changed: jobEvent(1, 'in_progress', { runnerName: 'theirs' }),
        nothing: jobEvent(1, 'queued'),
        foreign: jobEvent(2, 'queued', { labels: ['ubuntu-latest'] }),
        new: jobEvent(3, 'in_progress', { runnerName: 'theirs' }),
      }
      expect((await bench().ledger.applyJobEvent(events[kind], cause, 'one')).kind).toBe(kind)
      expect(await rowOf('one')).toMatchObject({ state, note, tries: 1 })
    })

    it('settles the delivery of an event about an archived job', async () => {
      await bench().queue(1)
      await bench().ledger.applyJobEvent(jobEvent(1, 'completed', { conclusion: 'cancelled' }), cause)
      await bench().ledger.archive(0, 10)
      await store('one')
      expect((await bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause, 'one')).kind).toBe('nothing')
      expect(await rowOf('one')).toMatchObject({ state: 'done', note: 'nothing' })
    })

    it('leaves a settled delivery as it was, and ignores a GUID that it does not know', async () => {
      await store('one')
      await bench().ledger.settleDelivery('one', { kind: 'poison', note: 'no' })
      for (const guid of ['one', 'nobody'])
        await bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause, guid)
      expect(await rowOf('one')).toMatchObject({ state: 'poison', note: 'no', tries: 1 })
    })

    it('changes nothing when the answer was lost and the event is applied again', async () => {
      await store('one')
      await bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause, 'one')
      const before = await rowOf('one')
      expect((await bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause, 'one')).kind).toBe('nothing')
      expect(await rowOf('one')).toEqual(before)
      expect((await bench().ledger.jobs({ limit: 10 })).rows).toHaveLength(1)
    })

    it('applies many at the same time as if they came one after the other', async () => {
      const held = await startAll(bench(), 40)
      const over = await Promise.all(
        held.map(async (of, n) => {
          const job = await bench().job(of.jobId)
          return { guid: `over ${n}`, event: completed(job, of.name, { completedAt: 5_000 + n }) }
        }),
      )
      for (const { guid } of over) await store(guid)
      const results = await Promise.all(
        over.map(({ guid, event }) => bench().ledger.applyJobEvent(event, cause, guid)),
      )
      expect(results.map(({ kind }) => kind)).toEqual(held.map(() => 'changed'))
      expect(await pending()).toEqual([])
      for (const [n, of] of held.entries()) {
        const { job, evidence, timeline } = await bench().file(of.jobId)
        expect(job).toMatchObject({ state: 'completed', executor: of.name, forgeCompletedAt: 5_000 + n })
        const attempt = await bench().attempt(of)
        expect(attempt).toMatchObject({ state: 'ended', endReason: 'finished' })
        // The proof of each end is the event of that job, and not another's.
        expect(evidence.find(({ id }) => id === attempt.evidenceId)?.record).toMatchObject({
          runnerName: of.name,
        })
        expect(timeline.filter(({ kind }) => kind === 'completed')).toHaveLength(1)
      }
    })

    it('applies events of all kinds at the same time', async () => {
      const [of] = await startAll(bench(), 1)
      const known = await bench().queue(500)
      const events = [
        jobEvent(600, 'queued'),
        jobEvent(601, 'queued', { labels: ['ubuntu-latest'] }),
        jobEvent(602, 'in_progress', { runnerName: 'theirs' }),
        jobEvent(500, 'queued'),
        completed(await bench().job(of?.jobId as number), of?.name ?? ''),
        jobEvent(603, 'queued', { labels: ['self-hosted', 'unserved'] }),
        jobEvent(600, 'queued'),
        jobEvent(500, 'in_progress', { runnerName: 'theirs too' }),
      ]
      for (const n of events.keys()) await store(`kind ${n}`)
      const results = await Promise.all(
        events.map((event, n) => bench().ledger.applyJobEvent(event, cause, `kind ${n}`)),
      )
      const kinds: ApplyResult['kind'][] = [
        'new',
        'foreign',
        'new',
        'nothing',
        'changed',
        'new',
        'nothing',
        'changed',
      ]
      expect(results.map(({ kind }) => kind)).toEqual(kinds)
      expect(await pending()).toEqual([])
      expect((await rowOf('kind 1'))?.state).toBe('ignored')
      expect(await bench().job(known)).toMatchObject({ state: 'running', executor: 'theirs too' })
    })

    it('applies at the same time that two runners were given each other’s jobs', async () => {
      for (const n of [1, 2, 3, 4]) await bench().queue(n)
      const held: Held[] = []
      for (let n = 0; n < 4; n += 1) held.push(await bench().registered())
      const jobs = await Promise.all(held.map(({ jobId }) => bench().job(jobId)))
      const crossed = [1, 0, 3, 2] as const
      await Promise.all(
        crossed.map((to, from) =>
          bench().ledger.applyJobEvent(started(jobs[to] as never, held[from]?.name ?? ''), cause),
        ),
      )
      for (const [from, to] of crossed.entries()) {
        const job = await bench().job(jobs[to]?.id as number)
        expect(job).toMatchObject({ state: 'running', executor: held[from]?.name })
        const open = await bench().ledger.openAttempt(held[from]?.runnerId as number)
        expect(open).toMatchObject({ attempt: { state: 'running' }, job: { id: job.id } })
      }
    })

    it('applies two events of one job that come at the same time, both in the end', async () => {
      const jobId = await bench().queue(1)
      const job = await bench().job(jobId)
      for (const guid of ['one', 'two']) await store(guid, 'job 1')
      await Promise.all([
        bench().ledger.applyJobEvent(started(job, 'theirs'), cause, 'one'),
        bench().ledger.applyJobEvent(completed(job, 'theirs'), cause, 'two'),
      ])
      expect(await bench().job(jobId)).toMatchObject({ state: 'completed', executor: 'theirs' })
      expect(await pending()).toEqual([])
    })
  })
}

/** So many jobs, each running on a runner of its own, whose starts were applied at the same time. */
async function startAll(bench: Bench, count: number): Promise<Held[]> {
  const held: Held[] = []
  for (let n = 0; n < count; n += 1) {
    await bench.queue(100 + n)
    held.push(await bench.registered())
  }
  const jobs = await Promise.all(held.map(({ jobId }) => bench.job(jobId)))
  await Promise.all(
    jobs.map((job, n) => bench.ledger.applyJobEvent(started(job, held[n]?.name ?? ''), cause)),
  )
  for (const of of held) {
    expect(await bench.attempt(of)).toMatchObject({ state: 'running' })
    expect(await bench.runner(of.runnerId)).toMatchObject({ state: 'busy', jobId: of.jobId })
  }
  return held
}
