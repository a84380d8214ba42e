import { describe, expect, it } from 'vitest'
import { type ForgeBench, type ForgeNature, never } from './kit.ts'

/** Orders about runs, and the logs that they leave. */
export function ordersContract(bench: ForgeBench, nature: ForgeNature): void {
  const { scope, asked, submit, start } = bench

  describe('orders about runs', () => {
    const failed = async () => {
      const id = await submit()
      const runner = await start('r-1')
      await runner.take()
      await runner.finish(id, 'failure')
      return { id, runId: (await bench.forge.readJob(scope(), id, never))?.job.runId as number }
    }
    const queued = async () => {
      const { events } = await bench.forge.listJobs(asked(), never)
      return events.filter((event) => event.status === 'queued').map((event) => event.job)
    }

    it('run one job again, under a new id', async () => {
      const { id, runId } = await failed()
      expect(await bench.forge.rerunJob(scope(), id, never)).toEqual({ kind: 'done' })
      const [again] = await queued()
      expect(again).toMatchObject({ runId, runAttempt: 2, name: 'build' })
      expect(again?.forgeJobId).not.toBe(id)
    })

    it('run all failed jobs again', async () => {
      const { runId } = await failed()
      expect(await bench.forge.rerunFailedJobs(scope(), runId, never)).toEqual({ kind: 'done' })
      expect(await queued()).toMatchObject([{ runId, runAttempt: 2 }])
    })

    it('cancel what is left of a run, or say that this forge cannot', async () => {
      const id = await submit()
      const runId = (await bench.forge.readJob(scope(), id, never))?.job.runId as number
      const cancelled = await bench.forge.cancelRun(scope(), runId, never)
      if (nature.cannotCancel) {
        expect(cancelled).toEqual({ kind: 'unsupported', reason: expect.stringMatching(/\w/) })
        return
      }
      expect(cancelled).toEqual({ kind: 'done' })
      expect(await bench.forge.readJob(scope(), id, never)).toMatchObject({ conclusion: 'cancelled' })
    })

    it('are refused, with why, where there is nothing to run again or to cancel', async () => {
      const { runId } = await failed()
      const open = await submit({ name: 'open' })
      for (const answer of [
        ...(nature.cannotCancel ? [] : [await bench.forge.cancelRun(scope(), runId, never)]),
        await bench.forge.rerunJob(scope(), open, never),
        await bench.forge.rerunJob(scope(), 987_654_321, never),
        await bench.forge.rerunFailedJobs(scope(), 987_654_321, never),
      ]) {
        expect(answer).toEqual({ kind: 'refused', reason: expect.stringMatching(/\w/) })
      }
    })
  })

  describe('readLimit', () => {
    it('is answered, whether the forge has a limit or not', async () => {
      expect(await bench.forge.readLimit(never)).toBeUndefined()
    })
  })

  describe('readLog', () => {
    it('has the log of a job that is over, and none of one that is not or that nobody knows', async () => {
      const id = await submit()
      const read = (job: number) => bench.forge.readLog(scope(), job, never)
      expect([await read(id), await read(987_654_321)]).toEqual([null, null])
      const runner = await start('r-1')
      await runner.take()
      await runner.finish(id, 'success')
      expect(await read(id)).toEqual(expect.any(String))
    })
  })
}
