import { expect, it } from 'vitest'
import { whyQueued } from '../../../src/domain/queue/index.ts'
import { cause, farMs, jobEvent, type MakeLedger, topic } from './kit.ts'

/** Jobs that the forge announces and that no runner can be given: not ours at all, or not yet. */
export function announced(make: MakeLedger): void {
  topic('jobs that are announced', make, (bench) => {
    const resultOf = async (...given: Parameters<typeof jobEvent>) =>
      (await bench().ledger.applyJobEvent(jobEvent(...given), cause)).kind
    const claim = async () => {
      const runner = await bench().idleRunner()
      return (await bench().ledger.claim(runner, bench().handle(), farMs)).kind
    }
    const waiting = { waitsForApproval: true } as const

    it('are not ours without labels, whatever pools there are', async () => {
      expect(await resultOf(1, 'queued', { labels: [] })).toBe('foreign')
      expect(await resultOf(1, 'in_progress', { labels: [], runnerName: 'theirs' })).toBe('foreign')
      expect(await claim()).toBe('nothing')
    })

    it('are not ours where they were skipped before anybody knew them', async () => {
      expect(await resultOf(1, 'completed', { conclusion: 'skipped' })).toBe('foreign')
      expect((await bench().ledger.jobs({ limit: 10 })).rows).toEqual([])
    })

    it('end where they were known and are skipped', async () => {
      const jobId = await bench().queue(1)
      expect(await resultOf(1, 'completed', { conclusion: 'skipped' })).toBe('changed')
      expect(await bench().job(jobId)).toMatchObject({ state: 'cancelled', conclusion: 'skipped' })
    })

    it('stay the same jobs where their repository is renamed, or written in another case', async () => {
      const jobId = await bench().queue(1)
      expect(await resultOf(1, 'queued', { repository: 'ACME/App' })).toBe('nothing')
      const runnerName = 'theirs'
      expect(await resultOf(1, 'in_progress', { repository: 'acme/renamed', runnerName })).toBe('changed')
      expect(await resultOf(1, 'completed', { repository: 'acme/renamed', runnerName })).toBe('changed')
      expect((await bench().ledger.jobs({ limit: 10 })).rows.map(({ id, state }) => [id, state])).toEqual([
        [jobId, 'completed'],
      ])
    })

    it('are known and given to no runner while they wait for an approval', async () => {
      const jobId = await bench().queue(1, waiting)
      expect(await claim()).toBe('nothing')
      expect((await bench().ledger.counts())[0]).toMatchObject({ dispatchable: 0 })
      const facts = await bench().ledger.queueFacts(jobId)
      expect(facts === null ? null : whyQueued(facts)).toMatchObject({
        reason: 'awaiting-approval',
        sentence: 'It waits for an approval at the forge.',
      })
      expect(await bench().ledger.release(jobId, cause)).toBe('refused')
    })

    it('are given to a runner once the forge has them queued, by one event or by a batch', async () => {
      const alone = await bench().queue(1, waiting)
      const others = [await bench().queue(2, waiting), await bench().queue(3, waiting)]
      expect(await resultOf(1, 'queued', waiting)).toBe('nothing')
      expect(await resultOf(1, 'queued')).toBe('changed')
      expect(await resultOf(1, 'queued')).toBe('nothing')
      expect(
        await Promise.all([resultOf(2, 'queued'), resultOf(3, 'queued'), resultOf(4, 'queued')]),
      ).toEqual([...['changed', 'changed', 'new']])
      for (const id of [alone, ...others]) expect(await bench().job(id)).toMatchObject({ quarantine: null })
      expect((await bench().file(alone)).timeline.map(({ kind }) => kind)).toContain('approved')
      expect(await claim()).toBe('claimed')
    })

    it('are not withheld by a late event that they waited', async () => {
      const jobId = await bench().queue(1)
      expect(await resultOf(1, 'queued', waiting)).toBe('nothing')
      expect(await bench().job(jobId)).toMatchObject({ quarantine: null })
    })

    it('run where the forge gave them to a runner before it reported the approval', async () => {
      const jobId = await bench().queue(1, waiting)
      expect(await resultOf(1, 'in_progress', { runnerName: 'theirs' })).toBe('changed')
      expect(await bench().job(jobId)).toMatchObject({ state: 'running', quarantine: null })
    })
  })
}
