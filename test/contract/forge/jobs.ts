import { describe, expect, it } from 'vitest'
import { reached } from '../../support/reached.ts'
import { type ForgeBench, type ForgeNature, labels, never, repository } from './kit.ts'

/** Jobs: read one by one, and listed. */
export function jobsContract(bench: ForgeBench, nature: ForgeNature): void {
  const { scope, asked, submit, start } = bench

  describe('readJob', () => {
    it('follows a job from queued to its end, and names its runner', async () => {
      const id = await submit()
      const read = () => bench.forge.readJob(scope(), id, never)
      const queued = await read()
      expect(queued).toMatchObject({
        job: { installation: bench.under.installation, forgeJobId: id, repository, name: 'build', labels },
        status: 'queued',
        runnerName: null,
        conclusion: null,
        startedAt: null,
        completedAt: null,
      })
      expect(queued?.queuedAt).toEqual(expect.any(Number))
      const runner = await start('r-1')
      await runner.take()
      const running = await read()
      expect(running).toMatchObject({ status: 'in_progress', runnerName: 'r-1', completedAt: null })
      expect(running?.startedAt).toEqual(expect.any(Number))
      await runner.finish(id, 'failure')
      const ended = await read()
      expect(ended).toMatchObject({ status: 'completed', runnerName: 'r-1', conclusion: 'failure' })
      expect(ended?.completedAt).toEqual(expect.any(Number))
    })

    it('knows a job that was cancelled before anybody ran it', async () => {
      const id = await submit()
      await bench.under.cancel(id)
      expect(await bench.forge.readJob(scope(), id, never)).toMatchObject({
        status: 'completed',
        conclusion: 'cancelled',
        runnerName: null,
      })
    })

    it('is null for a job that the forge does not know', async () => {
      await submit()
      expect(await bench.forge.readJob(scope(), 987_654_321, never)).toBeNull()
    })
  })

  describe('readJobDetail', () => {
    const read = (id: number) => bench.forge.readJobDetail(scope(), id, never)

    it('has the facts of the job, its commit and its attempt, and no step that ended before a runner has it', async () => {
      const id = await submit()
      const queued = await read(id)
      expect(queued).toMatchObject({
        repository,
        jobId: id,
        name: 'build',
        runAttempt: 1,
        status: 'queued',
        runnerName: null,
        headSha: expect.stringMatching(/^[0-9a-f]{40}$/),
      })
      expect((queued?.steps ?? []).filter(({ conclusion }) => conclusion !== null)).toEqual([])
    })

    it('names the step that failed, where the forge says it, and never more than one', async () => {
      const id = await submit()
      const runner = await start('r-1')
      await runner.take()
      await runner.finish(id, 'failure')
      const ended = await read(id)
      expect(ended).toMatchObject({ status: 'completed', conclusion: 'failure', runnerName: 'r-1' })
      const failed = (ended?.steps ?? []).filter(({ conclusion }) => conclusion === 'failure')
      if (nature.hidesFailedStep) expect(failed.length).toBeLessThanOrEqual(1)
      else expect(failed.map(({ name }) => name)).toEqual([expect.stringMatching(/\w/)])
    })

    it('is null for a job that the forge does not know', async () => {
      await submit()
      expect(await read(987_654_321)).toBeNull()
    })
  })

  describe('readRunJobs', () => {
    const runOf = async (id: number) => (await bench.forge.readJob(scope(), id, never))?.job.runId ?? 0
    const read = (runId: number) => bench.forge.readRunJobs(scope(), runId, never)

    it('has the job of every attempt, each with its own number, runner and end, of one commit', async () => {
      const id = await submit()
      const runId = await runOf(id)
      const first = await start('r-1')
      await first.take()
      await first.finish(id, 'failure')
      await bench.forge.rerunFailedJobs(scope(), runId, never)
      const second = await start('r-2')
      await second.finish((await second.take()) ?? 0, 'success')
      const jobs = await read(runId)
      const shown = jobs.map(
        ({ runAttempt, runnerName, conclusion }) => `${runAttempt} ${runnerName} ${conclusion}`,
      )
      expect(shown.sort()).toEqual([...(nature.keepsNewestAttempt ? [] : ['1 r-1 failure']), '2 r-2 success'])
      for (const { jobId, runAttempt, conclusion } of jobs)
        expect(await bench.forge.readJob(scope(), jobId, never)).toMatchObject({
          job: { runId, runAttempt },
          conclusion,
        })
      expect(new Set(jobs.map(({ headSha }) => headSha)).size).toBe(1)
      expect(jobs[0]).toMatchObject({ repository, runId, name: 'build', status: 'completed' })
    })

    it('is empty for a run that the forge does not know', async () => {
      await submit()
      expect(await read(987_654_321)).toEqual([])
    })
  })

  describe('readRunHead', () => {
    const runOf = async (id: number) => (await bench.forge.readJob(scope(), id, never))?.job.runId ?? 0
    const head = async (runId: number) => bench.forge.readRunHead(scope(), runId, never)

    it('has the commit of a run, whether it is over, and whether its branch has gone on', async () => {
      const id = await submit()
      const first = await runOf(id)
      expect(await head(first)).toMatchObject({ isOver: false, headSha: expect.any(String), newerSha: null })
      const runner = await start('r-1')
      await runner.take()
      await runner.finish(id, 'failure')
      expect(await head(first)).toMatchObject({ isOver: true, newerSha: null })
      await new Promise((resolve) => setTimeout(resolve, 1_100)) // times of runs are in seconds
      const second = await runOf(await submit())
      const [before, after] = [await head(first), await head(second)]
      expect(after?.newerSha).toBeNull()
      expect(before?.newerSha ?? before?.headSha).toBe(after?.headSha)
    })

    it('is null for a run that the forge does not know', async () => {
      await submit()
      expect(await head(987_654_321)).toBeNull()
    })
  })

  describe('readOrigin', () => {
    const runOf = async (id: number) => (await bench.forge.readJob(scope(), id, never))?.job.runId ?? 0
    const origin = async (id: number) => bench.forge.readOrigin(scope(), await runOf(id), never)

    it('says of a run of the repository itself that it is no fork, and whether anybody can read it', async () => {
      expect(await origin(await submit())).toEqual({ visibility: 'private', isFork: false })
    })

    it.skipIf(nature.hidesForks)('says of a run whose commits are a fork that it is one', async () => {
      expect(await origin(await submit({ fork: 'mallory/shop' }))).toMatchObject({ isFork: true })
    })

    it('is null for a run that the forge does not know', async () => {
      await submit()
      expect(await bench.forge.readOrigin(scope(), 987_654_321, never)).toBeNull()
    })
  })

  describe('listJobs', () => {
    it('is empty where nothing is queued', async () => {
      expect((await bench.forge.listJobs(asked(), never)).events).toEqual([])
    })

    it('has every open job of every repository, and of those that are over only those of newer runs', async () => {
      const running = await submit({ name: 'first' })
      await (await start('r-1')).take()
      const waiting = [await submit({ name: 'second' }), await submit({ repository: 'acme/site' })]
      const cancelled = await submit({ name: 'third' })
      await bench.under.cancel(cancelled)
      const listed = async (since: number) => {
        const { events } = await bench.forge.listJobs({ ...asked(), since }, never)
        return events.map((event) => `${event.job.forgeJobId} ${event.status}`).sort()
      }
      const open = [`${running} in_progress`, ...waiting.map((id) => `${id} queued`)]
      expect(await listed(Date.UTC(2100))).toEqual(open.toSorted())
      expect(await listed(0)).toEqual([...open, `${cancelled} completed`].sort())
    })

    it('has them all where there are more than one page of them', async () => {
      const orders = Array.from({ length: 120 }, (_, n) => ({ repository, name: `job ${n}`, labels }))
      const ids: number[] = [...((await bench.under.submitMany?.(orders)) ?? [])]
      if (bench.under.submitMany === undefined)
        for (const order of orders) ids.push(await bench.under.submit(order))
      const { events } = await bench.forge.listJobs(asked(), never)
      expect(events.map((event) => event.job.forgeJobId).sort()).toEqual(ids.sort())
    })
  })

  describe('settled runs', () => {
    it('are left out of the list once they are over, and are back when they run again', async () => {
      const id = await submit()
      const runId = (await bench.forge.readJob(scope(), id, never))?.job.runId as number
      const listed = async () => {
        const { events } = await bench.forge.listJobs({ ...asked(), settledRuns: new Set([runId]) }, never)
        return events.map((event) => `${event.job.runAttempt} ${event.status}`)
      }
      expect(await listed()).toEqual(['1 queued'])
      await bench.under.cancel(id)
      expect(await listed()).toEqual([])
      expect(await bench.forge.rerunFailedJobs(scope(), runId, never)).toEqual({ kind: 'done' })
      expect(await listed()).toContain(nature.countsStarts ? '1 queued' : '2 queued')
    })
  })

  describe('unreachable', () => {
    it('names what our credentials do not cover, and nothing else', async () => {
      await submit()
      const asking = [repository, 'acme/unknown']
      expect(
        await bench.forge.unreachable(bench.under.installation, reached(...asking), never),
      ).toMatchObject([{ repository: 'acme/unknown', incident: 'repository-not-covered' }])
    })
  })
}
