import { expect, it } from 'vitest'
import {
  attemptStages,
  cause,
  completed,
  death,
  farMs,
  type MakeLedger,
  neverRegistered,
  topic,
} from './kit.ts'

/** The runner's job in a death record. */
export function jobsAtEnd(make: MakeLedger): void {
  topic('the job of a runner that ends', make, (bench) => {
    const atEnd = (runnerId: number) => bench().ledger.jobAtEnd(runnerId)

    it('is none where it was never given one', async () => {
      expect(await atEnd((await bench().idleRunner()).id)).toBeNull()
      expect(await atEnd(4_711)).toBeNull()
    })

    it.each(attemptStages)('is the one that it was given, also while the attempt is %s', async (stage) => {
      await bench().queue(7)
      const held = await bench()[stage]()
      const { id, startedAt } = await bench().attempt(held)
      const { repository } = await bench().job(held.jobId)
      expect(await atEnd(held.runnerId)).toEqual({
        jobId: held.jobId,
        forgeJobId: 7,
        repository,
        attemptId: id,
        attemptState: stage,
        startedAt,
        forgeStatus: stage === 'running' ? 'in_progress' : 'queued',
        conclusion: null,
        heardAt: expect.any(Number),
      })
    })

    it('has the event with which the forge ended it, and when it was received', async () => {
      await bench().queue(1)
      const held = await bench().running()
      const before = (await atEnd(held.runnerId))?.heardAt as number
      while ((await bench().ledger.now()) <= before); // until the ledger's clock has moved on
      const over = { conclusion: 'failure', completedAt: 5 }
      await bench().ledger.applyJobEvent(completed(await bench().job(held.jobId), held.name, over), cause)
      const found = await atEnd(held.runnerId)
      expect(found).toMatchObject({ attemptState: 'ended', forgeStatus: 'completed', conclusion: 'failure' })
      expect(found?.heardAt).toBeGreaterThan(before)
    })

    it('has that event also where it came after the death, and where the job was cancelled', async () => {
      await bench().queue(1)
      const died = await bench().running()
      await bench().ledger.sealDeath(died.runnerId, death(), 'killed', cause)
      const failed = { conclusion: 'failure', completedAt: 5 }
      await bench().ledger.applyJobEvent(completed(await bench().job(died.jobId), died.name, failed), cause)
      expect(await atEnd(died.runnerId)).toMatchObject({ forgeStatus: 'completed', conclusion: 'failure' })
      await bench().queue(2)
      const other = await bench().running()
      const cancelled = { conclusion: 'cancelled', completedAt: 6 }
      await bench().ledger.applyJobEvent(
        completed(await bench().job(other.jobId), other.name, cancelled),
        cause,
      )
      expect(await atEnd(other.runnerId)).toMatchObject({
        forgeStatus: 'completed',
        conclusion: 'cancelled',
        heardAt: expect.any(Number),
      })
    })

    it('has no event of the forge where the job was closed here without one', async () => {
      await bench().queue(1)
      const held = await bench().acknowledged()
      await bench().ledger.endAttempt(held.handle, { ...neverRegistered, kind: 'runnerGone' }, cause)
      expect(await bench().ledger.closeJob(held.jobId, 'gone', cause)).toBe('closed')
      expect(await atEnd(held.runnerId)).toMatchObject({ forgeStatus: null, conclusion: null })
    })

    it('is the newest one that it was given', async () => {
      await bench().queue(1)
      const first = await bench().claimed()
      const failure = {
        reason: 'no',
        concerns: 'job',
        delayMs: farMs,
        failuresMax: 9,
        incident: null,
      } as const
      await bench().ledger.mintFailed(first.handle, failure)
      await bench().queue(2)
      const second = await bench().claimed({ runnerId: first.runnerId })
      expect(await atEnd(first.runnerId)).toMatchObject({ jobId: second.jobId, attemptState: 'claimed' })
    })
  })
}
