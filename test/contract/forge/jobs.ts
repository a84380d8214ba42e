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

  describe('listJobs', () => {
    it('is empty where nothing is queued', async () => {
      expect((await bench.forge.listJobs(asked(), never)).words).toEqual([])
    })

    it('has every open job of every repository, and of those that are over only those of newer runs', async () => {
      const running = await submit({ name: 'first' })
      await (await start('r-1')).take()
      const waiting = [await submit({ name: 'second' }), await submit({ repository: 'acme/site' })]
      const cancelled = await submit({ name: 'third' })
      await bench.under.cancel(cancelled)
      const listed = async (since: number) => {
        const { words } = await bench.forge.listJobs({ ...asked(), since }, never)
        return words.map((word) => `${word.job.forgeJobId} ${word.status}`).sort()
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
      const { words } = await bench.forge.listJobs(asked(), never)
      expect(words.map((word) => word.job.forgeJobId).sort()).toEqual(ids.sort())
    })
  })

  describe('settled runs', () => {
    it('are left out of the list once they are over, and are back when they run again', async () => {
      const id = await submit()
      const runId = (await bench.forge.readJob(scope(), id, never))?.job.runId as number
      const listed = async () => {
        const { words } = await bench.forge.listJobs({ ...asked(), settledRuns: new Set([runId]) }, never)
        return words.map((word) => `${word.job.runAttempt} ${word.status}`)
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
