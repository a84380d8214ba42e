import { expect, it } from 'vitest'
import { noBackOff } from '../../../src/domain/job/index.ts'
import { cause, contractInstallation, death, farMs, type MakeLedger, topic } from './kit.ts'

const failure = {
  reason: 'no runner group',
  concerns: 'job',
  delayMs: 0,
  failuresMax: 3,
  incident: null,
} as const
/** A refusal that only a person can resolve: retried slowly. */
const barred = { incident: 'runners-disabled', delayMs: farMs } as const

/** A mint that the forge refused: who waits, and for how long. */
export function mintFailures(make: MakeLedger): void {
  topic('mint failures', make, (bench) => {
    it('ends the attempt, requeues the job and frees the runner in one step (I7)', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      expect(await bench().ledger.mintFailed(held.handle, failure)).toEqual({
        kind: 'ok',
        quarantined: false,
        incident: null,
      })
      expect(await bench().attempt(held)).toMatchObject({ state: 'ended', endReason: 'mint-failed' })
      expect(await bench().job(jobId)).toMatchObject({ state: 'queued', mintFailures: 1, requeues: 1 })
      expect(await bench().runner(held.runnerId)).toMatchObject({ state: 'polling', jobId: null })
    })

    it('says lost when it is repeated, and counts the failure once', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      await bench().ledger.mintFailed(held.handle, failure)
      expect(await bench().ledger.mintFailed(held.handle, failure)).toEqual({ kind: 'lost' })
      expect((await bench().job(jobId)).mintFailures).toBe(1)
    })

    it('changes nothing about an attempt that has its JIT', async () => {
      await bench().queue(1)
      const held = await bench().minted()
      const before = await bench().file(held.jobId)
      expect(await bench().ledger.mintFailed(held.handle, failure)).toEqual({ kind: 'lost' })
      expect(await bench().file(held.jobId)).toEqual(before)
    })

    it('frees no runner that died meanwhile', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      await bench().ledger.mintFailed(held.handle, failure)
      expect((await bench().runner(held.runnerId)).state).toBe('ended')
    })

    it('quarantines the job with the reason after the given number of failures', async () => {
      const jobId = await bench().queue(1)
      const results: boolean[] = []
      for (let n = 0; n < failure.failuresMax; n += 1) {
        const result = await bench().ledger.mintFailed((await bench().claimed()).handle, failure)
        results.push(result.kind === 'ok' && result.quarantined)
      }
      expect(results).toEqual([false, false, true])
      expect(await bench().job(jobId)).toMatchObject({ state: 'queued', quarantine: 'no runner group' })
      await nothing()
    })

    it('counts nothing that was not the fault of the job, however often, and counts what was', async () => {
      const jobId = await bench().queue(1)
      const silence = { ...failure, reason: 'The forge did not answer.', failuresMax: null }
      for (let n = 0; n < 2 * failure.failuresMax; n += 1) {
        const result = await bench().ledger.mintFailed((await bench().claimed()).handle, silence)
        expect(result).toMatchObject({ kind: 'ok', quarantined: false })
      }
      const refused = await bench().ledger.mintFailed((await bench().claimed()).handle, failure)
      expect(refused).toMatchObject({ kind: 'ok', quarantined: false })
      expect(await bench().job(jobId)).toMatchObject({ quarantine: null, mintFailures: 1 })
    })

    it('gives out a quarantined job again once it is released', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.mintFailed((await bench().claimed()).handle, { ...failure, failuresMax: 1 })
      expect(await bench().ledger.release(jobId, cause)).toBe('released')
      expect(await bench().job(jobId)).toMatchObject({ quarantine: null, mintFailures: 0 })
      expect((await bench().claimed()).jobId).toBe(jobId)
    })

    it('resets the back-off too: a person who releases a job wants it to run now', async () => {
      const jobId = await bench().queue(1)
      const failed = { ...failure, failuresMax: 1, delayMs: 600_000 }
      await bench().ledger.mintFailed((await bench().claimed()).handle, failed)
      expect((await bench().job(jobId)).notBefore).toBeGreaterThan(noBackOff)
      await bench().ledger.release(jobId, cause)
      expect((await bench().job(jobId)).notBefore).toBe(noBackOff)
    })

    it('does not release a job that is not quarantined', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.release(jobId, cause)).toBe('refused')
      expect(await bench().ledger.release(jobId + 1000, cause)).toBe('refused')
    })

    it('does not release a quarantined job that has ended', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.mintFailed((await bench().claimed()).handle, { ...failure, failuresMax: 1 })
      await bench().ledger.closeJob(jobId, 'gone', cause)
      expect(await bench().ledger.release(jobId, cause)).toBe('refused')
    })

    it('lets only the job wait when the failure concerns the job', async () => {
      await bench().queue(1)
      const other = await bench().queue(2)
      await bench().ledger.mintFailed((await bench().claimed()).handle, { ...failure, delayMs: farMs })
      expect((await bench().claimed()).jobId).toBe(other)
    })

    it('holds the repository when the failure concerns it, and no other', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      await bench().queue(2, { repository: 'acme/a' })
      const other = await bench().queue(3, { repository: 'acme/b' })
      const held = await bench().claimed()
      await bench().ledger.mintFailed(held.handle, { ...failure, concerns: 'repository', delayMs: farMs })
      expect((await bench().claimed()).jobId).toBe(other)
      await nothing()
    })

    it('holds the account when the failure concerns it, and no other', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      await bench().queue(2, { repository: 'acme/b' })
      const other = await bench().queue(3, { repository: 'zeta/a' })
      const held = await bench().claimed()
      await bench().ledger.mintFailed(held.handle, { ...failure, concerns: 'account', delayMs: farMs })
      expect((await bench().claimed()).jobId).toBe(other)
      await nothing()
    })

    it('does not hold a repository beyond the given time', async () => {
      await bench().queue(1)
      const second = await bench().queue(2)
      const held = await bench().claimed()
      await bench().ledger.mintFailed(held.handle, { ...failure, concerns: 'repository', delayMs: 0 })
      const jobs = [(await bench().claimed()).jobId, (await bench().claimed()).jobId]
      expect(jobs).toContain(second)
    })

    it.each([
      { concerns: 'job', scope: 'repository', key: 'acme/a' },
      { concerns: 'repository', scope: 'repository', key: 'acme/a' },
      { concerns: 'account', scope: 'account', key: 'acme' },
    ] as const)('opens an incident for the $scope when it concerns the $concerns', async (given) => {
      const { concerns, scope, key } = given
      for (const n of [1, 2]) await bench().queue(n, { repository: 'acme/a' })
      const refused = { ...failure, ...barred, concerns }
      const [one, two] = [await bench().claimed(), await bench().claimed()]
      expect(await bench().ledger.mintFailed(one.handle, refused)).toMatchObject({ incident: 'opened' })
      expect(await bench().ledger.mintFailed(two.handle, refused)).toMatchObject({ incident: 'known' })
      expect(await bench().ledger.incidents(0)).toMatchObject([
        { kind: barred.incident, installation: contractInstallation, scope, key, timesSeen: 2 },
      ])
      await nothing()
    })

    it('does not blame a job for an incident, and gives it out at once when that is lifted', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/a' })
      const held = await bench().claimed()
      expect(await bench().ledger.mintFailed(held.handle, { ...failure, ...barred })).toEqual({
        kind: 'ok',
        quarantined: false,
        incident: 'opened',
      })
      expect(await bench().job(jobId)).toMatchObject({ state: 'queued', mintFailures: 0, quarantine: null })
      await nothing()
      const what = { kind: barred.incident, installation: contractInstallation, scope: 'repository' } as const
      await bench().ledger.liftIncident({ ...what, key: 'acme/a' })
      expect((await bench().claimed()).jobId).toBe(jobId)
    })

    it('opens no incident for an attempt that is lost', async () => {
      await bench().queue(1)
      const held = await bench().minted()
      expect(await bench().ledger.mintFailed(held.handle, { ...failure, ...barred })).toEqual({
        kind: 'lost',
      })
      expect(await bench().ledger.incidents(0)).toEqual([])
    })

    async function nothing(): Promise<void> {
      const runner = await bench().idleRunner()
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
    }
  })
}
