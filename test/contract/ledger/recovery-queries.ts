import { expect, it } from 'vitest'
import { goodbyeMs } from '../../../src/domain/runner/index.ts'
import type { Due } from '../../../src/ports/ledger.ts'
import { cause, death, farMs, host, jit, jobEvent, type MakeLedger, neverRegistered, topic } from './kit.ts'

/** Rows that recovery reads, and its own records. */
export function recoveryQueries(make: MakeLedger): void {
  topic('recovery queries', make, (bench) => {
    it('does not give the runners of another host, which alone can say whether they live', async () => {
      await bench().bootingRunner({ bootDeadlineMs: 0 })
      expect(await bench().ledger.due(10, 'another host')).toEqual([])
      expect(await bench().ledger.due(10, host)).toHaveLength(1)
    })

    it('finds an open attempt past its deadline, with its job and runner', async () => {
      await bench().queue(1)
      const held = await bench().claimed({ deadlineMs: 0 })
      expect(await bench().ledger.due(10, host)).toMatchObject([
        {
          kind: 'attempt',
          attempt: { handle: held.handle },
          job: { id: held.jobId },
          runner: { id: held.runnerId },
        },
      ])
    })

    it('does not find an attempt before its deadline', async () => {
      await bench().queue(1)
      await bench().claimed()
      expect(await bench().ledger.due(10, host)).toEqual([])
    })

    it('does not find an attempt whose deadline moved on with its next step', async () => {
      await bench().queue(1)
      const held = await bench().claimed({ deadlineMs: 0 })
      await bench().ledger.minted(held.handle, 1, jit('a'), farMs)
      expect(await bench().ledger.due(10, host)).toEqual([])
    })

    it('does not find an attempt that has ended', async () => {
      await bench().queue(1)
      const held = await bench().claimed({ deadlineMs: 0 })
      await bench().ledger.endAttempt(
        held.handle,
        { kind: 'claimExpired', proof: null, fate: { kind: 'gone' } },
        cause,
      )
      expect(await bench().ledger.due(10, host)).toEqual([])
    })

    it('finds the open attempt of a dead runner at once', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      const [first, ...others] = await bench().ledger.due(10, host)
      expect(first).toMatchObject({
        kind: 'attempt',
        attempt: { handle: held.handle },
        runner: { state: 'ended' },
      })
      expect(others).toEqual([])
      expect((await bench().attempt(held)).checkAt).toBeLessThanOrEqual(await bench().ledger.now())
    })

    it('finds a requeued job, because the forge must be asked about it', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().ledger.due(10, host)).toMatchObject([{ kind: 'job', job: { id: jobId } }])
    })

    it('does not find a job that has just been seen', async () => {
      await bench().queue(1)
      expect(await bench().ledger.due(10, host)).toEqual([])
    })

    it('finds a live runner past its boot deadline, with the newest attempt it had', async () => {
      await bench().queue(1)
      const runner = await bench().idleRunner({ bootDeadlineMs: 0 })
      const held = await bench().delivered({ runnerId: runner.id })
      expect(await bench().ledger.due(10, host)).toMatchObject([
        {
          kind: 'runner',
          runner: { id: runner.id },
          hasOpenAttempt: true,
          last: { attempt: { handle: held.handle }, job: { id: held.jobId } },
        },
      ])
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      const subject = await bench().ledger.subject({ kind: 'runner', id: runner.id })
      expect(subject).toMatchObject({ hasOpenAttempt: false, last: { attempt: { handle: held.handle } } })
    })

    it('gives the newest attempt of a runner that had several', async () => {
      await bench().queue(1)
      const first = await bench().claimed()
      const end = { kind: 'claimExpired', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const
      await bench().ledger.endAttempt(first.handle, end, cause)
      const second = await bench().claimed({ runnerId: first.runnerId })
      await bench().ledger.endAttempt(second.handle, end, cause)
      expect(await bench().ledger.subject({ kind: 'runner', id: first.runnerId })).toMatchObject({
        last: { attempt: { handle: second.handle } },
      })
    })

    it('does not find a runner before its boot deadline, nor a dead one', async () => {
      await bench().idleRunner()
      const dead = await bench().idleRunner({ bootDeadlineMs: 0 })
      await bench().ledger.sealDeath(dead.id, death(), 'killed', cause)
      expect(await bench().ledger.due(10, host)).toEqual([])
    })

    it('looks at a young runner whose job is over when it had time to say goodbye, not when its start is due', async () => {
      await bench().queue(1)
      const held = await bench().running()
      const { job } = await bench().file(held.jobId)
      await bench().ledger.applyJobEvent(
        jobEvent(job.forgeJobId, 'completed', { runnerName: held.name }),
        cause,
      )
      const { endedAt } = await bench().attempt(held)
      const runner = await bench().runner(held.runnerId)
      expect(runner).toMatchObject({ state: 'busy', checkAt: (endedAt as number) + goodbyeMs })
    })

    it('does not put off a runner that is looked at sooner, nor call one early that is free for another job', async () => {
      await bench().queue(1)
      await bench().queue(2)
      const old = await bench().idleRunner({ bootDeadlineMs: 0 })
      const { checkAt } = await bench().runner(old.id)
      const over = await bench().delivered({ runnerId: old.id })
      await bench().ledger.endAttempt(over.handle, neverRegistered, cause)
      expect((await bench().runner(old.id)).checkAt).toBe(checkAt)
      const free = await bench().claimed()
      const before = await bench().runner(free.runnerId)
      const end = { kind: 'claimExpired', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const
      await bench().ledger.endAttempt(free.handle, end, cause)
      expect(await bench().runner(free.runnerId)).toMatchObject({
        state: 'polling',
        checkAt: before.checkAt,
      })
    })

    it('gives the longest overdue first, up to the limit', async () => {
      const first = await bench().bootingRunner({ bootDeadlineMs: -3 * farMs })
      const third = await bench().bootingRunner({ bootDeadlineMs: -farMs })
      await bench().queue(1)
      const second = await bench().claimed({ deadlineMs: -2 * farMs })
      const ids = (subjects: readonly Due[]) => subjects.map(idOf)
      expect(ids(await bench().ledger.due(10, host))).toEqual([
        `runner ${first.id}`,
        `attempt ${(await bench().attempt(second)).id}`,
        `runner ${third.id}`,
      ])
      expect(ids(await bench().ledger.due(1, host))).toEqual([`runner ${first.id}`])
    })

    it('gives each kind of subject as it is now', async () => {
      const jobId = await bench().queue(1)
      expect(await bench().ledger.subject({ kind: 'job', id: jobId })).toMatchObject({
        kind: 'job',
        job: { id: jobId },
      })
      const held = await bench().claimed()
      const { id } = await bench().attempt(held)
      expect(await bench().ledger.subject({ kind: 'attempt', id })).toMatchObject({
        kind: 'attempt',
        attempt: { id, state: 'claimed' },
        job: { id: jobId, state: 'claimed' },
        runner: { id: held.runnerId, state: 'claimed' },
      })
      expect(await bench().ledger.subject({ kind: 'runner', id: held.runnerId })).toMatchObject({
        kind: 'runner',
        runner: { id: held.runnerId },
        hasOpenAttempt: true,
      })
    })

    it('gives no subject where nothing open is left to look at', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      expect(await bench().ledger.subject({ kind: 'job', id: jobId })).toBeNull()
      const { id } = await bench().attempt(held)
      const end = { kind: 'claimExpired', proof: null, fate: { kind: 'gone' } } as const
      await bench().ledger.endAttempt(held.handle, end, cause)
      expect(await bench().ledger.subject({ kind: 'attempt', id })).toBeNull()
      expect(await bench().ledger.subject({ kind: 'job', id: jobId })).toBeNull()
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      expect(await bench().ledger.subject({ kind: 'runner', id: held.runnerId })).toBeNull()
      expect(await bench().ledger.subject({ kind: 'job', id: jobId + 1000 })).toBeNull()
    })

    it('looks at a postponed subject later, and at the others now', async () => {
      await bench().queue(1)
      const runner = await bench().bootingRunner({ bootDeadlineMs: 0 })
      const held = await bench().claimed({ deadlineMs: 0 })
      const attempt = await bench().attempt(held)
      await bench().ledger.postpone({ kind: 'attempt', id: attempt.id }, farMs)
      expect((await bench().ledger.due(10, host)).map(idOf)).toEqual([`runner ${runner.id}`])
      await bench().ledger.postpone({ kind: 'runner', id: runner.id }, farMs)
      expect(await bench().ledger.due(10, host)).toEqual([])
      await bench().ledger.postpone({ kind: 'attempt', id: attempt.id }, 0)
      expect((await bench().ledger.due(10, host)).map(idOf)).toEqual([`attempt ${attempt.id}`])
    })

    it('postpones a job', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.postpone({ kind: 'job', id: jobId }, 0)
      expect((await bench().ledger.due(10, host)).map(idOf)).toEqual([`job ${jobId}`])
      await bench().ledger.postpone({ kind: 'job', id: jobId }, farMs)
      expect(await bench().ledger.due(10, host)).toEqual([])
    })

    it('postpones nothing that is not open, and does not complain', async () => {
      const jobId = await bench().queue(1)
      await bench().ledger.closeJob(jobId, 'gone', cause)
      const before = await bench().file(jobId)
      await bench().ledger.postpone({ kind: 'job', id: jobId }, farMs)
      await bench().ledger.postpone({ kind: 'attempt', id: 4711 }, farMs)
      expect(await bench().file(jobId)).toEqual(before)
    })

    it('keeps each decision with its facts, actions and outcome in the file of its job', async () => {
      const jobId = await bench().queue(1)
      const decision = {
        rule: 'stale-queued',
        jobId,
        attemptId: null,
        runnerId: null,
        facts: { forgeJob: 'gone' },
        actions: [{ kind: 'close-job', jobId }],
      }
      const id = await bench().ledger.recordDecision(decision)
      expect((await bench().file(jobId)).decisions).toMatchObject([{ id, ...decision, outcome: null }])
      await bench().ledger.recordOutcome(id, 'closed')
      expect((await bench().file(jobId)).decisions).toMatchObject([{ id, ...decision, outcome: 'closed' }])
    })

    it('does not mix up the decisions of two jobs', async () => {
      const jobId = await bench().queue(1)
      const other = await bench().queue(2)
      const decision = {
        rule: 'stale-queued',
        jobId,
        attemptId: null,
        runnerId: null,
        facts: {},
        actions: [],
      }
      await bench().ledger.recordDecision(decision)
      expect((await bench().file(other)).decisions).toEqual([])
    })
  })
}

function idOf(subject: Due): string {
  if (subject.kind === 'unreadable') return `unreadable ${subject.of.kind} ${subject.of.id}`
  if (subject.kind === 'attempt') return `attempt ${subject.attempt.id}`
  return subject.kind === 'job' ? `job ${subject.job.id}` : `runner ${subject.runner.id}`
}
