import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  attemptStages,
  type Bench,
  cause,
  completed,
  contractInstallation,
  death,
  jobEvent,
  type MakeLedger,
  pool,
  started,
  topic,
} from './kit.ts'
import { anyOrder } from './orders.ts'

/** Job events of the forge, in any order of arrival. */
export function intake(make: MakeLedger): void {
  topic('intake', make, (bench) => {
    it('inserts a job that it did not know, as the forge described it', async () => {
      const result = await bench().ledger.applyJobEvent(
        jobEvent(7, 'queued', { runId: 5, runAttempt: 2, name: 'test', queuedAt: 1_700_000_000_000 }),
        cause,
      )
      expect(result.kind).toBe('new')
      const found = await bench().ledger.findJob(contractInstallation, 7)
      expect(found).toMatchObject({
        forgeJobId: 7,
        runId: 5,
        runAttempt: 2,
        name: 'test',
        repository: 'acme/app',
        owner: 'acme',
        pool: 'linux',
        priority: 'normal',
        state: 'queued',
        forgeQueuedAt: 1_700_000_000_000,
        requeues: 0,
        mintFailures: 0,
        quarantine: null,
      })
    })

    it('keeps what the workflow is called where the forge says it, for the claim as well', async () => {
      await bench().ledger.applyJobEvent(jobEvent(7, 'queued', { workflow: 'CI / nightly' }), cause)
      expect(await bench().ledger.findJob(contractInstallation, 7)).toMatchObject({
        workflow: 'CI / nightly',
      })
      const held = await bench().claimed()
      const claim = await bench().ledger.openAttempt(held.runnerId)
      expect(claim?.job).toMatchObject({ forgeJobId: 7, workflow: 'CI / nightly' })
      await bench().ledger.applyJobEvent(jobEvent(8, 'queued'), cause)
      expect(await bench().ledger.findJob(contractInstallation, 8)).not.toHaveProperty('workflow')
    })

    it('does not insert a job twice', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause)).toEqual({
        kind: 'nothing',
        jobId,
      })
      expect((await bench().ledger.jobs({ limit: 10 })).rows).toHaveLength(1)
    })

    it('does not insert a job twice when its event arrives three times at once', async () => {
      const results = await Promise.all(
        [1, 2, 3].map(() => bench().ledger.applyJobEvent(jobEvent(1, 'queued'), cause)),
      )
      expect(results.map(({ kind }) => kind).sort()).toEqual(['new', 'nothing', 'nothing'])
    })

    it('keeps a self-hosted job that no pool serves, without a pool', async () => {
      const jobId = await bench().queue(1, { labels: ['Self-Hosted', 'windows'] })
      expect(await bench().job(jobId)).toMatchObject({ pool: null, state: 'queued' })
    })

    it('does not keep a job that neither a pool serves nor asks for a self-hosted runner', async () => {
      const foreign = jobEvent(1, 'queued', { labels: ['ubuntu-latest'] })
      expect(await bench().ledger.applyJobEvent(foreign, cause)).toEqual({ kind: 'foreign' })
      expect(await bench().ledger.findJob(contractInstallation, 1)).toBeNull()
    })

    it('keeps a job that runs already on a foreign runner', async () => {
      const jobId = await applyNew(
        bench(),
        jobEvent(1, 'in_progress', { runnerName: 'theirs', startedAt: 5000 }),
      )
      expect(await bench().job(jobId)).toMatchObject({
        state: 'running',
        executor: 'theirs',
        forgeStartedAt: 5000,
      })
    })

    it('closes at once a job whose end is its first event', async () => {
      const over = jobEvent(1, 'completed', { conclusion: 'failure', completedAt: 9000 })
      const jobId = await applyNew(bench(), over)
      expect(await bench().job(jobId)).toMatchObject({
        state: 'completed',
        conclusion: 'failure',
        forgeCompletedAt: 9000,
      })
    })

    it.each(['cancelled', 'skipped'])(
      'closes a job that the forge calls %s as cancelled',
      async (conclusion) => {
        const jobId = await bench().queue(1)
        await bench().ledger.applyJobEvent(completed(await bench().job(jobId), null, { conclusion }), cause)
        expect(await bench().job(jobId)).toMatchObject({ state: 'cancelled', conclusion })
      },
    )

    it('takes a job out of quarantine when the forge gives it to a runner all the same', async () => {
      const jobId = await bench().queue(1)
      const { handle } = await bench().claimed()
      const failure = {
        reason: 'no such group',
        concerns: 'job',
        delayMs: 0,
        failuresMax: 1,
        incident: null,
      } as const
      await bench().ledger.mintFailed(handle, failure)
      await bench().ledger.applyJobEvent(started(await bench().job(jobId), 'theirs'), cause)
      expect(await bench().job(jobId)).toMatchObject({ state: 'running', quarantine: null })
    })

    it('ignores a start that names no runner', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.applyJobEvent(jobEvent(1, 'in_progress'), cause)).toEqual({
        kind: 'nothing',
        jobId,
      })
      expect((await bench().job(jobId)).state).toBe('queued')
    })

    it('does not bind the event to a runner that was never given its JIT', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      const before = await bench().file(held.jobId)
      await bench().ledger.applyJobEvent(started(before.job, held.name), cause)
      expect(await bench().file(held.jobId)).toEqual(before)
    })

    it.each(attemptStages)(
      'ends the attempt that is %s when the forge says that its job is over',
      async (stage) => {
        await bench().queue(1)
        const held = await bench()[stage]()
        const job = await bench().job(held.jobId)
        expect(await bench().ledger.applyJobEvent(completed(job, held.name), cause)).toEqual({
          kind: 'changed',
          jobId: job.id,
        })
        expect((await bench().job(job.id)).state).toBe('completed')
        expect(await bench().attempt(held)).toMatchObject({ state: 'ended', endReason: 'finished' })
        expect((await bench().runner(held.runnerId)).jobId).toBeNull()
      },
    )

    it('frees a runner whose job was cancelled before anything was delivered', async () => {
      await bench().queue(1)
      const held = await bench().minted()
      const job = await bench().job(held.jobId)
      await bench().ledger.applyJobEvent(completed(job, null, { conclusion: 'cancelled' }), cause)
      expect((await bench().runner(held.runnerId)).state).toBe('polling')
    })

    it('does not free a runner that was given its JIT before the job was cancelled', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      const job = await bench().job(held.jobId)
      await bench().ledger.applyJobEvent(completed(job, null, { conclusion: 'cancelled' }), cause)
      expect((await bench().runner(held.runnerId)).state).toBe('claimed')
      expect(await bench().attempt(held)).toMatchObject({ state: 'ended', endReason: 'finished' })
    })

    it('calls a job lost that the forge failed after its runner died badly', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      const job = await bench().job(held.jobId)
      await bench().ledger.applyJobEvent(completed(job, held.name, { conclusion: 'failure' }), cause)
      expect((await bench().job(job.id)).state).toBe('lost')
    })

    it('does not call a job lost that failed on a runner that ended cleanly', async () => {
      await bench().queue(1)
      const held = await bench().running()
      const clean = death({ exitCode: 0, signal: null })
      await bench().ledger.sealDeath(held.runnerId, clean, 'done', cause)
      const job = await bench().job(held.jobId)
      await bench().ledger.applyJobEvent(completed(job, held.name, { conclusion: 'failure' }), cause)
      expect((await bench().job(job.id)).state).toBe('completed')
    })

    it('keeps the event as evidence of the end that it brought (I3)', async () => {
      await bench().queue(1)
      const held = await bench().running()
      const job = await bench().job(held.jobId)
      await bench().ledger.applyJobEvent(completed(job, held.name, { completedAt: 4242 }), cause)
      const { evidence } = await bench().file(job.id)
      const attempt = await bench().attempt(held)
      expect(evidence.find(({ id }) => id === attempt.evidenceId)).toMatchObject({
        kind: 'forge-word',
        record: { status: 'completed', completedAt: 4242, runnerName: held.name },
      })
    })

    it('writes one timeline row with its cause for each transition, and none for a repeated event', async () => {
      const jobId = await bench().queue(1)
      const job = await bench().job(jobId)
      const from = (await bench().file(jobId)).timeline.length
      await bench().ledger.applyJobEvent(started(job, 'theirs'), { source: 'webhook', rule: 'some-rule' })
      const { timeline } = await bench().file(jobId)
      expect(timeline.slice(from)).toMatchObject([
        { subject: 'job', subjectId: jobId, jobId, kind: 'started', source: 'webhook', rule: 'some-rule' },
      ])
      await bench().ledger.applyJobEvent(started(job, 'theirs'), cause)
      expect((await bench().file(jobId)).timeline).toHaveLength(timeline.length)
    })

    describe('in any order, with any repetition (I8)', () => {
      it('ends a job of a foreign runner in the same state', async () => {
        await fc.assert(
          fc.asyncProperty(anyOrder(['queued', 'in_progress', 'completed'] as const), async (statuses) => {
            const forgeJobId = bench().next()
            for (const status of statuses) {
              const times = { startedAt: 2000, completedAt: status === 'completed' ? 3000 : null }
              await bench().ledger.applyJobEvent(
                jobEvent(forgeJobId, status, { runnerName: 'theirs', ...times }),
                cause,
              )
            }
            const job = await bench().ledger.findJob(contractInstallation, forgeJobId)
            expect(job).toMatchObject({ state: 'completed', conclusion: 'success', forgeCompletedAt: 3000 })
          }),
          { numRuns: 20 },
        )
      })

      it.each(['minted', 'delivered', 'acknowledged', 'registered', 'running'] as const)(
        'ends a job whose attempt is %s in the same state',
        async (stage) => {
          await fc.assert(
            fc.asyncProperty(anyOrder(['queued', 'in_progress', 'completed'] as const), async (statuses) => {
              const { name } = await freshPool(bench())
              const jobId = await bench().queue(bench().next(), { labels: [name] })
              const held = await bench()[stage]({ pool: name })
              const job = await bench().job(jobId)
              const over = { labels: job.labels, runnerName: held.name }
              for (const status of statuses) {
                await bench().ledger.applyJobEvent(jobEvent(job.forgeJobId, status, over), cause)
              }
              expect(await bench().job(jobId)).toMatchObject({ state: 'completed', conclusion: 'success' })
              expect(await bench().attempt(held)).toMatchObject({ state: 'ended', endReason: 'finished' })
              expect(await bench().ledger.openAttempt(held.runnerId)).toBeNull()
            }),
            { numRuns: 10 },
          )
        },
      )
    })
  })
}

/** A pool of its own for one run of a property; what earlier runs left in the queue is out of its way. */
async function freshPool(bench: Bench): Promise<{ name: string }> {
  const name = `run-${bench.next()}`
  await bench.ledger.putPools([pool({ name, labels: [name] })], cause)
  return { name }
}

async function applyNew(bench: Bench, event: ReturnType<typeof jobEvent>): Promise<number> {
  const result = await bench.ledger.applyJobEvent(event, cause)
  if (result.kind !== 'new') throw new Error(`expected a new job, got ${result.kind}`)
  return result.jobId
}
