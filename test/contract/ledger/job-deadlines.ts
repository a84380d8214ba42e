import { expect, it } from 'vitest'
import { cause, completed, death, type MakeLedger, topic } from './kit.ts'
import { pool } from './samples.ts'

const limitMs = 60_000
const note = { limitMs, ranMs: 61_000, cancel: null } as const

/** Records of jobs that ran longer than their pool allows. */
export function jobDeadlines(make: MakeLedger): void {
  topic('the limit of a pool for a job', make, (bench) => {
    const runnerSubject = async (id: number) => {
      const subject = await bench().ledger.subject({ kind: 'runner', id })
      return subject?.kind === 'runner' ? subject : null
    }

    it('is read with each runner of the pool, also once the pool is retired, and with no other', async () => {
      await bench().ledger.putPools([pool({ maxJobMs: limitMs })], cause)
      const { id } = await bench().idleRunner()
      expect(await runnerSubject(id)).toMatchObject({ maxJobMs: limitMs })
      await bench().ledger.putPools([pool({ name: 'other' })], cause)
      expect(await runnerSubject(id)).toMatchObject({ maxJobMs: limitMs })
      await bench().ledger.putPools([pool()], cause)
      expect(await runnerSubject(id)).not.toHaveProperty('maxJobMs')
    })

    it('is in the facts that `why` reads, with how long the job has run', async () => {
      await bench().ledger.putPools([pool({ maxJobMs: limitMs })], cause)
      await bench().queue(1)
      const held = await bench().acknowledged()
      expect(await bench().ledger.queueFacts(held.jobId)).toMatchObject({ run: null })
      await bench().queue(2)
      const { jobId, handle } = await bench().running()
      expect(await bench().ledger.queueFacts(jobId)).toMatchObject({
        run: { ranMs: expect.any(Number), limitMs, isPastDeadline: false },
      })
      await bench().ledger.notePastDeadline(handle, note, cause)
      expect(await bench().ledger.queueFacts(jobId)).toMatchObject({ run: { isPastDeadline: true } })
    })

    it('is noted once, then with the answer of the forge, and neither changes any more', async () => {
      await bench().queue(1)
      const held = await bench().running()
      const noted = async () => (await bench().attempt(held)).pastDeadline
      expect(await noted()).toBeUndefined()
      expect(await bench().ledger.notePastDeadline(held.handle, note, cause)).toEqual({ kind: 'ok' })
      const first = await noted()
      expect(first).toEqual({ ...note, at: expect.any(Number) })
      const later = { limitMs: 1, ranMs: 99_000, cancel: 'refused' } as const
      await bench().ledger.notePastDeadline(held.handle, later, cause)
      await bench().ledger.notePastDeadline(held.handle, { ...later, cancel: 'done' }, cause)
      expect(await noted()).toEqual({ ...first, cancel: 'refused' })
      const rows = (await bench().file(held.jobId)).timeline.filter(({ kind }) =>
        /Deadline|cancelAsked/.test(kind),
      )
      expect(rows).toMatchObject([
        { subject: 'attempt', kind: 'pastDeadline', facts: { limitMs, ranMs: 61_000 }, source: cause.source },
        { subject: 'attempt', kind: 'cancelAsked', facts: { answer: 'refused' } },
      ])
    })

    it('is not noted of an attempt that does not run, or has ended', async () => {
      await bench().queue(1)
      const held = await bench().acknowledged()
      expect(await bench().ledger.notePastDeadline(held.handle, note, cause)).toEqual({ kind: 'lost' })
      await bench().queue(2)
      const over = await bench().running()
      await bench().ledger.applyJobEvent(completed(await bench().job(over.jobId), over.name), cause)
      expect(await bench().ledger.notePastDeadline(over.handle, note, cause)).toEqual({ kind: 'lost' })
      expect(await bench().ledger.notePastDeadline('none', note, cause)).toEqual({ kind: 'lost' })
    })

    it("is in the death record's part about the job", async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.notePastDeadline(held.handle, { ...note, cancel: 'done' }, cause)
      expect(await bench().ledger.jobAtEnd(held.runnerId)).toMatchObject({
        pastDeadline: { limitMs, ranMs: 61_000, cancel: 'done' },
      })
    })

    it.each([
      ['failure', 'completed'],
      ['cancelled', 'cancelled'],
    ])('makes no job lost: of %s it is %s, whatever the death of its runner', async (conclusion, state) => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.notePastDeadline(held.handle, note, cause)
      await bench().ledger.sealDeath(held.runnerId, death(), 'stopped', cause)
      await bench().ledger.applyJobEvent(
        completed(await bench().job(held.jobId), held.name, { conclusion }),
        cause,
      )
      expect(await bench().job(held.jobId)).toMatchObject({ state, conclusion })
    })

    it('ends a job of which the forge says nothing more as called off at that limit', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.notePastDeadline(held.handle, note, cause)
      await bench().ledger.sealDeath(held.runnerId, death(), 'stopped', cause)
      const ended = (await bench().ledger.runners(10)).rows.find(({ id }) => id === held.runnerId)
      const { evidenceId } = ended ?? {}
      const proof = { kind: 'stored', evidenceId: evidenceId as number } as const
      const end = { kind: 'runnerGone', proof, fate: { kind: 'past-deadline' } } as const
      expect(await bench().ledger.endAttempt(held.handle, end, cause)).toEqual({ kind: 'ok' })
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'cancelled', conclusion: 'job-deadline' })
    })
  })
}
