import { expect, it } from 'vitest'
import {
  type AttemptStage,
  attemptStages,
  cause,
  completed,
  death,
  farMs,
  type MakeLedger,
  neverRegistered,
  started,
  topic,
} from './kit.ts'

const expired = { kind: 'claimExpired', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const

/** The ends of attempts, jobs and runners. */
export function ends(make: MakeLedger): void {
  topic('ends', make, (bench) => {
    const delivered: readonly AttemptStage[] = ['delivered', 'acknowledged', 'registered', 'running']

    it.each(delivered)('refuses to end an attempt that is %s without evidence (I3)', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      const before = await bench().file(held.jobId)
      const blind = { kind: 'runnerGone', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const
      expect(await bench().ledger.endAttempt(held.handle, blind, cause)).toEqual({ kind: 'refused' })
      expect(await bench().file(held.jobId)).toEqual(before)
    })

    it.each(delivered)('ends an attempt that is %s with evidence, and keeps it', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      const end = { ...neverRegistered, kind: 'runnerGone' } as const
      expect(await bench().ledger.endAttempt(held.handle, end, cause)).toEqual({ kind: 'ok' })
      const attempt = await bench().attempt(held)
      expect(attempt).toMatchObject({ state: 'ended', endReason: 'runner-gone' })
      const { evidence } = await bench().file(held.jobId)
      expect(evidence.find(({ id }) => id === attempt.evidenceId)).toMatchObject({
        kind: 'never-registered',
        record: { forgeRunner: 'absent' },
      })
    })

    it.each(['claimed', 'minted'] as const)('ends an attempt that is %s without evidence', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      expect(await bench().ledger.endAttempt(held.handle, expired, cause)).toEqual({ kind: 'ok' })
      expect(await bench().attempt(held)).toMatchObject({ state: 'ended', endReason: 'claim-expired' })
    })

    it('refuses an end that the state of the attempt does not know', async () => {
      await bench().queue(1)
      const held = await bench().running()
      expect(await bench().ledger.endAttempt(held.handle, neverRegistered, cause)).toEqual({
        kind: 'refused',
      })
      expect((await bench().attempt(held)).state).toBe('running')
    })

    it('frees the runner and requeues the job in the same step (I7)', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().minted()
      await bench().ledger.endAttempt(held.handle, expired, cause)
      expect(await bench().job(jobId)).toMatchObject({ state: 'queued', requeues: 1, mintFailures: 0 })
      expect(await bench().runner(held.runnerId)).toMatchObject({ state: 'polling', jobId: null })
    })

    it('does not free a runner that was given a JIT: it may still use it', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().runner(held.runnerId)).toMatchObject({ state: 'claimed', jobId: null })
    })

    it('lets a requeued job back off for the given time', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      const before = await bench().ledger.now()
      const fate = { kind: 'requeue', delayMs: farMs } as const
      await bench().ledger.endAttempt(held.handle, { ...expired, fate }, cause)
      expect((await bench().job(held.jobId)).notBefore).toBeGreaterThanOrEqual(before + farMs)
    })

    it('ends a job as lost, with the death record as proof, together with its attempt', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      const { evidenceId } = await bench().runner(held.runnerId)
      const proof = { kind: 'stored', evidenceId: evidenceId as number } as const
      const end = { kind: 'runnerGone', proof, fate: { kind: 'lost' } } as const
      expect(await bench().ledger.endAttempt(held.handle, end, cause)).toEqual({ kind: 'ok' })
      expect((await bench().job(held.jobId)).state).toBe('lost')
      expect((await bench().attempt(held)).evidenceId).toBe(evidenceId)
      expect((await bench().file(held.jobId)).evidence).toMatchObject([
        {
          id: evidenceId,
          kind: 'runner-death',
          runnerId: held.runnerId,
          record: { class: 'sigkill-unknown' },
        },
      ])
    })

    it('cancels a job that the forge does not know any more, together with its attempt', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, { ...neverRegistered, fate: { kind: 'gone' } }, cause)
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'cancelled', conclusion: 'gone' })
    })

    it('does not reopen a job that ended, whatever comes later (I8)', async () => {
      await bench().queue(1)
      const held = await bench().running()
      const job = await bench().job(held.jobId)
      await bench().ledger.applyJobEvent(completed(job, held.name), cause)
      expect(await bench().ledger.endAttempt(held.handle, neverRegistered, cause)).toEqual({ kind: 'lost' })
      expect(await bench().ledger.closeJob(job.id, 'gone', cause)).toBe('refused')
      expect((await bench().job(job.id)).state).toBe('completed')
    })

    it('closes a queued job that the forge does not know any more', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.closeJob(jobId, 'gone', cause)).toBe('closed')
      expect(await bench().job(jobId)).toMatchObject({ state: 'cancelled', conclusion: 'gone' })
    })

    it.each(attemptStages)('does not close a job whose attempt is %s', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      expect(await bench().ledger.closeJob(held.jobId, 'gone', cause)).toBe('refused')
      expect((await bench().attempt(held)).state).toBe(stage)
    })

    it('puts back a job that runs without an attempt of ours', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.applyJobEvent(started(await bench().job(jobId), 'foreign'), cause)
      expect(await bench().ledger.requeueJob(jobId, cause)).toBe('requeued')
      expect(await bench().job(jobId)).toMatchObject({ state: 'queued', executor: null, requeues: 1 })
    })

    it('does not put back a job that is queued, over or unknown', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.requeueJob(jobId, cause)).toBe('refused')
      await bench().ledger.closeJob(jobId, 'gone', cause)
      expect(await bench().ledger.requeueJob(jobId, cause)).toBe('refused')
      expect(await bench().ledger.requeueJob(jobId + 1000, cause)).toBe('refused')
    })

    it.each(attemptStages)('does not put back a job whose attempt is %s', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      expect(await bench().ledger.requeueJob(held.jobId, cause)).toBe('refused')
    })

    it('does not close a job twice, nor one that it does not know', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.closeJob(jobId, 'gone', cause)
      expect(await bench().ledger.closeJob(jobId, 'again', cause)).toBe('refused')
      expect((await bench().job(jobId)).conclusion).toBe('gone')
      expect(await bench().ledger.closeJob(jobId + 1000, 'gone', cause)).toBe('refused')
    })
  })
}
