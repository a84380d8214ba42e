import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Job } from '../../../src/domain/job/index.ts'
import {
  type Bench,
  cause,
  completed,
  death,
  type Held,
  type MakeLedger,
  neverRegistered,
  pool,
  started,
  topic,
} from './kit.ts'
import { anyOrder } from './orders.ts'

/** The forge assigns by label: the job that a runner executes may not be the one for which it was claimed. */
export function rebinding(make: MakeLedger): void {
  topic('swapped assignments', make, (bench) => {
    it('binds a runner to the job that the forge gave it, and puts its own back into the queue', async () => {
      const { a, r } = await claimedOne(bench())
      const b = await bench().job(await bench().queue(2))
      await bench().ledger.applyJobEvent(started(b, r.name), cause)
      expect(await bench().attempt(r, b.id)).toMatchObject({
        state: 'running',
        jobId: b.id,
        claimedJobId: a.id,
      })
      expect(await bench().job(b.id)).toMatchObject({ state: 'running', executor: r.name })
      expect(await bench().job(a.id)).toMatchObject({ state: 'queued', executor: null, requeues: 0 })
      expect((await bench().file(a.id)).attempts).toEqual([])
    })

    it('gives out again at once the job that lost its runner', async () => {
      const { a, r } = await claimedOne(bench())
      const b = await bench().job(await bench().queue(2))
      await bench().ledger.applyJobEvent(started(b, r.name), cause)
      expect((await bench().claimed()).jobId).toBe(a.id)
    })

    it('swaps two runners whose jobs the forge exchanged', async () => {
      const { a, b, r, s } = await claimedTwo(bench())
      await bench().ledger.applyJobEvent(started(b, r.name), cause)
      expect(await bench().attempt(r, b.id)).toMatchObject({ state: 'running' })
      expect(await bench().attempt(s, a.id)).toMatchObject({ state: 'registered', claimedJobId: b.id })
      expect((await bench().job(a.id)).state).toBe('registered')
      await bench().ledger.applyJobEvent(started(a, s.name), cause)
      expect(await bench().attempt(s, a.id)).toMatchObject({ state: 'running' })
      expect(await bench().job(a.id)).toMatchObject({ state: 'running', executor: s.name })
      expect(await bench().job(b.id)).toMatchObject({ state: 'running', executor: r.name })
    })

    it.each([
      ['claimed', 'claimed'],
      ['minted', 'claimed'],
      ['delivered', 'delivered'],
      ['acknowledged', 'delivered'],
      ['registered', 'registered'],
    ] as const)('moves a job whose new attempt is %s to %s', async (stage, state) => {
      await bench().queue(1)
      const r = await bench().delivered()
      const b = await bench().job(await bench().queue(2))
      const s = await bench()[stage]()
      await bench().ledger.applyJobEvent(started(b, r.name), cause)
      expect((await bench().job(r.jobId)).state).toBe(state)
      expect((await bench().attempt(s, r.jobId)).state).toBe(stage)
    })

    it('still takes the steps of a rebound attempt, for its new job', async () => {
      await bench().queue(1)
      const r = await bench().delivered()
      const b = await bench().job(await bench().queue(2))
      const s = await bench().delivered()
      await bench().ledger.applyJobEvent(started(b, r.name), cause)
      expect(await bench().ledger.registered(s.handle, 1000, cause)).toEqual({ kind: 'ok' })
      expect((await bench().job(r.jobId)).state).toBe('registered')
    })

    it('follows three runners whose jobs went round', async () => {
      const { a, b, r, s } = await claimedTwo(bench())
      const c = await bench().job(await bench().queue(3))
      const t = await bench().registered()
      for (const [job, runner] of [
        [b, r],
        [c, s],
        [a, t],
      ] as const) {
        await bench().ledger.applyJobEvent(started(job, runner.name), cause)
      }
      for (const [job, runner] of [
        [b, r],
        [c, s],
        [a, t],
      ] as const) {
        expect(await bench().job(job.id)).toMatchObject({ state: 'running', executor: runner.name })
        expect(await bench().attempt(runner, job.id)).toMatchObject({ state: 'running' })
      }
    })

    it('ends a job on the runner that ran it when the event of its start was lost', async () => {
      const { a, b, r, s } = await claimedTwo(bench())
      await bench().ledger.applyJobEvent(completed(b, r.name), cause)
      expect((await bench().job(b.id)).state).toBe('completed')
      expect(await bench().attempt(r, b.id)).toMatchObject({ state: 'ended', endReason: 'finished' })
      expect(await bench().attempt(s, a.id)).toMatchObject({ state: 'registered' })
      expect((await bench().job(a.id)).state).toBe('registered')
    })

    it('ends a job on a runner whose delivery was not written when both events were lost', async () => {
      await bench().queue(1)
      const r = await bench().minted()
      const b = await bench().job(await bench().queue(2))
      await bench().ledger.applyJobEvent(completed(b, r.name), cause)
      expect((await bench().job(b.id)).state).toBe('completed')
      expect(await bench().attempt(r, b.id)).toMatchObject({ state: 'ended', endReason: 'finished' })
      expect((await bench().runner(r.runnerId)).state).toBe('busy')
      expect((await bench().job(r.jobId)).state).toBe('queued')
    })

    it('takes a job away from its attempt when a foreign runner runs it', async () => {
      const { a, r } = await claimedOne(bench())
      await bench().ledger.applyJobEvent(started(a, 'theirs'), cause)
      expect(await bench().job(a.id)).toMatchObject({ state: 'running', executor: 'theirs' })
      expect(await bench().attempt(r)).toMatchObject({ state: 'ended', endReason: 'taken-elsewhere' })
      expect((await bench().attempt(r)).evidenceId).not.toBeNull()
      expect((await bench().runner(r.runnerId)).state).toBe('claimed')
    })

    it('frees the runner of an undelivered attempt whose job a foreign runner runs', async () => {
      await bench().queue(1)
      const r = await bench().claimed()
      await bench().ledger.applyJobEvent(started(await bench().job(r.jobId), 'theirs'), cause)
      expect((await bench().attempt(r)).endReason).toBe('taken-elsewhere')
      expect((await bench().runner(r.runnerId)).state).toBe('polling')
    })

    it('adopts a runner that was given up and runs the job all the same', async () => {
      await bench().queue(1)
      const r = await bench().delivered()
      await bench().ledger.endAttempt(r.handle, neverRegistered, cause)
      const a = await bench().job(r.jobId)
      await bench().ledger.applyJobEvent(started(a, r.name), cause)
      const { attempts } = await bench().file(a.id)
      expect(attempts.map(({ state }) => state)).toEqual(['ended', 'running'])
      expect(attempts[1]).toMatchObject({ runnerId: r.runnerId, forgeRunnerName: r.name, jobId: a.id })
      expect(attempts[1]?.handle).not.toBe(r.handle)
      expect(await bench().runner(r.runnerId)).toMatchObject({ state: 'busy', jobId: a.id })
      expect(await bench().job(a.id)).toMatchObject({ state: 'running', executor: r.name })
    })

    it('takes the job back from its second attempt when the first runner runs it after all', async () => {
      await bench().queue(1)
      const r = await bench().delivered()
      await bench().ledger.endAttempt(r.handle, neverRegistered, cause)
      const s = await bench().delivered()
      await bench().ledger.applyJobEvent(started(await bench().job(r.jobId), r.name), cause)
      expect(await bench().attempt(s)).toMatchObject({ state: 'ended', endReason: 'taken-elsewhere' })
      expect((await bench().runner(r.runnerId)).jobId).toBe(r.jobId)
      expect((await bench().runner(s.runnerId)).jobId).toBeNull()
    })

    it('closes the job of an adopted runner with its event', async () => {
      await bench().queue(1)
      const r = await bench().delivered()
      await bench().ledger.endAttempt(r.handle, neverRegistered, cause)
      const a = await bench().job(r.jobId)
      await bench().ledger.applyJobEvent(started(a, r.name), cause)
      await bench().ledger.applyJobEvent(completed(a, r.name), cause)
      expect((await bench().job(a.id)).state).toBe('completed')
      expect((await bench().file(a.id)).attempts.map(({ endReason }) => endReason)).toEqual([
        'never-registered',
        'finished',
      ])
    })

    it('does not adopt a runner whose death is sealed', async () => {
      await bench().queue(1)
      const r = await bench().delivered()
      await bench().ledger.sealDeath(r.runnerId, death(), 'killed', cause)
      await bench().ledger.endAttempt(r.handle, { ...neverRegistered, kind: 'runnerGone' }, cause)
      const a = await bench().job(r.jobId)
      await bench().ledger.applyJobEvent(started(a, r.name), cause)
      expect((await bench().file(a.id)).attempts).toHaveLength(1)
      expect(await bench().job(a.id)).toMatchObject({ state: 'running', executor: r.name })
    })

    it('moves a running job to the runner that the forge named later, and not back', async () => {
      const { a, r } = await claimedOne(bench())
      const first = started(a, r.name, { startedAt: 1000 })
      await bench().ledger.applyJobEvent(first, cause)
      await bench().ledger.applyJobEvent(started(a, 'theirs', { startedAt: 2000 }), cause)
      expect(await bench().job(a.id)).toMatchObject({ state: 'running', executor: 'theirs' })
      expect(await bench().ledger.applyJobEvent(first, cause)).toEqual({ kind: 'nothing', jobId: a.id })
      expect(await bench().job(a.id)).toMatchObject({ executor: 'theirs', forgeStartedAt: 2000 })
    })

    it('takes a running job from its runner when the forge later names another one of ours', async () => {
      const { a, b, r, s } = await claimedTwo(bench())
      await bench().ledger.applyJobEvent(started(b, s.name, { startedAt: 1000 }), cause)
      await bench().ledger.applyJobEvent(started(b, r.name, { startedAt: 2000 }), cause)
      expect(await bench().attempt(s, b.id)).toMatchObject({ state: 'ended', endReason: 'taken-elsewhere' })
      expect(await bench().attempt(r, b.id)).toMatchObject({ state: 'running' })
      expect(await bench().job(b.id)).toMatchObject({ state: 'running', executor: r.name })
      expect((await bench().job(a.id)).state).toBe('queued')
    })

    it('does not adopt a runner under an old name while it has another attempt', async () => {
      await bench().queue(1)
      const old = await bench().claimed()
      const failure = {
        reason: 'no answer',
        concerns: 'job',
        delayMs: 0,
        failuresMax: 9,
        incident: null,
      } as const
      await bench().ledger.mintFailed(old.handle, failure)
      const present = await bench().delivered({ runnerId: old.runnerId })
      const other = await bench().job(await bench().queue(2))
      await bench().ledger.applyJobEvent(started(other, old.name), cause)
      expect((await bench().file(other.id)).attempts).toEqual([])
      expect((await bench().ledger.openAttempt(old.runnerId))?.attempt.handle).toBe(present.handle)
    })

    it('ends a swap of two in the same state in any order, with any repetition (I8)', async () => {
      const messages = ['a started', 'a completed', 'b started', 'b completed'] as const
      await fc.assert(
        fc.asyncProperty(anyOrder(messages), async (order) => {
          const name = `run-${bench().next()}`
          await bench().ledger.putPools([pool({ name, labels: [name] })], cause)
          const { a, b, r, s } = await claimedTwo(bench(), name)
          const event = {
            'a started': started(a, s.name, { startedAt: 1000 }),
            'a completed': completed(a, s.name, { startedAt: 1000, completedAt: 2000 }),
            'b started': started(b, r.name, { startedAt: 1000 }),
            'b completed': completed(b, r.name, { startedAt: 1000, completedAt: 2000 }),
          }
          for (const message of order) await bench().ledger.applyJobEvent(event[message], cause)
          for (const [job, runner] of [
            [a, s],
            [b, r],
          ] as const) {
            expect(await bench().job(job.id)).toMatchObject({ state: 'completed' })
            expect(await bench().attempt(runner, job.id)).toMatchObject({ endReason: 'finished' })
            expect(await bench().ledger.openAttempt(runner.runnerId)).toBeNull()
          }
        }),
        { numRuns: 20 },
      )
    })
  })
}

/** Job A, claimed by R, which has registered. */
async function claimedOne(bench: Bench): Promise<{ a: Job; r: Held }> {
  await bench.queue(1)
  const r = await bench.registered()
  return { a: await bench.job(r.jobId), r }
}

/** Jobs A and B, claimed by R and S, which both have registered. */
async function claimedTwo(bench: Bench, inPool = 'linux'): Promise<{ a: Job; b: Job; r: Held; s: Held }> {
  const over = inPool === 'linux' ? {} : { labels: [inPool] }
  await bench.queue(bench.next(), over)
  const r = await bench.registered({ pool: inPool })
  await bench.queue(bench.next(), over)
  const s = await bench.registered({ pool: inPool })
  return { a: await bench.job(r.jobId), b: await bench.job(s.jobId), r, s }
}
