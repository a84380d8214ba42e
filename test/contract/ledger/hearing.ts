import { expect, it } from 'vitest'
import type { Heard } from '../../../src/ports/ledger.ts'
import {
  type Bench,
  cause,
  completed,
  contractInstallation,
  type Held,
  type MakeLedger,
  started,
  topic,
  word,
} from './kit.ts'

/** Words that came by deliveries, one at a time and many together. */
export function hearing(make: MakeLedger): void {
  topic('hearing', make, (bench) => {
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
      const heard = await bench().ledger.hear(word(1, 'queued'), cause, 'one')
      expect(heard.kind).toBe('new')
      expect(await rowOf('one')).toMatchObject({
        state: 'done',
        note: 'new',
        tries: 1,
        settledAt: expect.any(Number),
      })
      expect(await pending()).toEqual(['two'])
    })

    it.each([
      ['a word that changes a job', 'changed', 'done', 'changed'],
      ['a word that repeats what is known', 'nothing', 'done', 'nothing'],
      ['a job that nobody here serves', 'foreign', 'ignored', 'no pool of ours serves its labels'],
      ['a job that is new and runs already', 'new', 'done', 'new'],
    ] as const)('settles the delivery of %s', async (_, kind, state, note) => {
      await store('one')
      await bench().queue(1)
      const words = {
        changed: word(1, 'in_progress', { runnerName: 'theirs' }),
        nothing: word(1, 'queued'),
        foreign: word(2, 'queued', { labels: ['ubuntu-latest'] }),
        new: word(3, 'in_progress', { runnerName: 'theirs' }),
      }
      expect((await bench().ledger.hear(words[kind], cause, 'one')).kind).toBe(kind)
      expect(await rowOf('one')).toMatchObject({ state, note, tries: 1 })
    })

    it('settles the delivery of a word about an archived job', async () => {
      await bench().queue(1)
      await bench().ledger.hear(word(1, 'completed', { conclusion: 'cancelled' }), cause)
      await bench().ledger.archive(0, 10)
      await store('one')
      expect((await bench().ledger.hear(word(1, 'queued'), cause, 'one')).kind).toBe('nothing')
      expect(await rowOf('one')).toMatchObject({ state: 'done', note: 'nothing' })
    })

    it('leaves what was settled before as it was, and does not mind a GUID that it does not know', async () => {
      await store('one')
      await bench().ledger.settleDelivery('one', { kind: 'poison', note: 'no' })
      for (const guid of ['one', 'nobody']) await bench().ledger.hear(word(1, 'queued'), cause, guid)
      expect(await rowOf('one')).toMatchObject({ state: 'poison', note: 'no', tries: 1 })
    })

    it('gives the same when the answer was lost and the word is heard again', async () => {
      await store('one')
      await bench().ledger.hear(word(1, 'queued'), cause, 'one')
      const before = await rowOf('one')
      expect((await bench().ledger.hear(word(1, 'queued'), cause, 'one')).kind).toBe('nothing')
      expect(await rowOf('one')).toEqual(before)
      expect((await bench().ledger.jobs({ limit: 10 })).rows).toHaveLength(1)
    })

    it('hears many at the same time as if they came one after the other', async () => {
      const held = await startAll(bench(), 40)
      const over = await Promise.all(
        held.map(async (of, n) => {
          const job = await bench().job(of.jobId)
          return { guid: `over ${n}`, said: completed(job, of.name, { completedAt: 5_000 + n }) }
        }),
      )
      for (const { guid } of over) await store(guid)
      const heard = await Promise.all(over.map(({ guid, said }) => bench().ledger.hear(said, cause, guid)))
      expect(heard.map(({ kind }) => kind)).toEqual(held.map(() => 'changed'))
      expect(await pending()).toEqual([])
      for (const [n, of] of held.entries()) {
        const { job, evidence, timeline } = await bench().file(of.jobId)
        expect(job).toMatchObject({ state: 'completed', executor: of.name, forgeCompletedAt: 5_000 + n })
        const attempt = await bench().attempt(of)
        expect(attempt).toMatchObject({ state: 'ended', endReason: 'finished' })
        // The proof of each end is the word about that job, and not another's.
        expect(evidence.find(({ id }) => id === attempt.evidenceId)?.record).toMatchObject({
          runnerName: of.name,
        })
        expect(timeline.filter(({ kind }) => kind === 'completed')).toHaveLength(1)
      }
    })

    it('hears words of all kinds at the same time', async () => {
      const [of] = await startAll(bench(), 1)
      const known = await bench().queue(500)
      const said = [
        word(600, 'queued'),
        word(601, 'queued', { labels: ['ubuntu-latest'] }),
        word(602, 'in_progress', { runnerName: 'theirs' }),
        word(500, 'queued'),
        completed(await bench().job(of?.jobId as number), of?.name ?? ''),
        word(603, 'queued', { labels: ['self-hosted', 'unserved'] }),
        word(600, 'queued'),
        word(500, 'in_progress', { runnerName: 'theirs too' }),
      ]
      for (const n of said.keys()) await store(`kind ${n}`)
      const heard = await Promise.all(said.map((one, n) => bench().ledger.hear(one, cause, `kind ${n}`)))
      const kinds: Heard['kind'][] = [
        'new',
        'foreign',
        'new',
        'nothing',
        'changed',
        'new',
        'nothing',
        'changed',
      ]
      expect(heard.map(({ kind }) => kind)).toEqual(kinds)
      expect(await pending()).toEqual([])
      expect((await rowOf('kind 1'))?.state).toBe('ignored')
      expect(await bench().job(known)).toMatchObject({ state: 'running', executor: 'theirs too' })
    })

    it('hears at the same time that two runners were given each other’s jobs', async () => {
      for (const n of [1, 2, 3, 4]) await bench().queue(n)
      const held: Held[] = []
      for (let n = 0; n < 4; n += 1) held.push(await bench().registered())
      const jobs = await Promise.all(held.map(({ jobId }) => bench().job(jobId)))
      const crossed = [1, 0, 3, 2] as const
      await Promise.all(
        crossed.map((to, from) =>
          bench().ledger.hear(started(jobs[to] as never, held[from]?.name ?? ''), cause),
        ),
      )
      for (const [from, to] of crossed.entries()) {
        const job = await bench().job(jobs[to]?.id as number)
        expect(job).toMatchObject({ state: 'running', executor: held[from]?.name })
        const open = await bench().ledger.openAttempt(held[from]?.runnerId as number)
        expect(open).toMatchObject({ attempt: { state: 'running' }, job: { id: job.id } })
      }
    })

    it('hears two words about one job at the same time, both in the end', async () => {
      const jobId = await bench().queue(1)
      const job = await bench().job(jobId)
      for (const guid of ['one', 'two']) await store(guid, 'job 1')
      await Promise.all([
        bench().ledger.hear(started(job, 'theirs'), cause, 'one'),
        bench().ledger.hear(completed(job, 'theirs'), cause, 'two'),
      ])
      expect(await bench().job(jobId)).toMatchObject({ state: 'completed', executor: 'theirs' })
      expect(await pending()).toEqual([])
    })
  })
}

/** So many jobs, each running on a runner of its own, whose starts were heard at the same time. */
async function startAll(bench: Bench, count: number): Promise<Held[]> {
  const held: Held[] = []
  for (let n = 0; n < count; n += 1) {
    await bench.queue(100 + n)
    held.push(await bench.registered())
  }
  const jobs = await Promise.all(held.map(({ jobId }) => bench.job(jobId)))
  await Promise.all(jobs.map((job, n) => bench.ledger.hear(started(job, held[n]?.name ?? ''), cause)))
  for (const of of held) {
    expect(await bench.attempt(of)).toMatchObject({ state: 'running' })
    expect(await bench.runner(of.runnerId)).toMatchObject({ state: 'busy', jobId: of.jobId })
  }
  return held
}
