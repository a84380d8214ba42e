import { expect, it } from 'vitest'
import { aDeathRecord, anEnd, aPodEnd } from '../../../src/domain/death/testing.ts'
import { lostRecord } from '../../../src/domain/recovery/index.ts'
import { cause, completed, type Held, type MakeLedger, topic } from './kit.ts'

const minuteMs = 60_000

/** A job that the forge ended is lost where its runner's death says so, in whichever order the two arrive. */
export function judgedLost(make: MakeLedger): void {
  topic('jobs that are lost by the death of their runner', make, (bench) => {
    /** A pod that was asked to go at this time and ended some seconds later, having reported what it could. */
    const drained = (begunAt: number) =>
      aDeathRecord({
        class: 'node-drained',
        confidence: 'likely',
        ending: anEnd({ exitCode: 0, endedAt: begunAt + 8_000, pod: aPodEnd({ deletedAt: begunAt }) }),
      })
    const running = async (): Promise<Held & { readonly at: number }> => {
      await bench().queue(1)
      const held = await bench().running()
      // The forge ended it a minute ago, by its own clock.
      return { ...held, at: (await bench().ledger.now()) - minuteMs }
    }
    const applyEvent = async (held: Held & { readonly at: number }, conclusion = 'cancelled') => {
      const event = completed(await bench().job(held.jobId), held.name, { conclusion, completedAt: held.at })
      const result = await bench().ledger.applyJobEvent(event, cause)
      return 'isLost' in result ? 'lost' : result.kind
    }
    const seal = ({ runnerId }: Held, record = aDeathRecord()) =>
      bench().ledger.sealDeath(runnerId, record, record.class, cause)
    const kinds = async (jobId: number) =>
      (await bench().file(jobId)).timeline.filter(({ subject }) => subject === 'job').map(({ kind }) => kind)

    it.each(['cancelled', 'failure'])(
      'are %s at the forge, and lost where the death came first',
      async (conclusion) => {
        const held = await running()
        expect(await seal(held, drained(held.at - 3_000))).toBe('sealed')
        expect(await applyEvent(held, conclusion)).toBe('lost')
        const job = await bench().job(held.jobId)
        expect(job).toMatchObject({ state: 'lost', conclusion: conclusion, forgeCompletedAt: held.at })
        expect(await kinds(held.jobId)).toContain('lost')
      },
    )

    it.each(['cancelled', 'failure'])(
      'are %s at the forge, and lost where the death is sealed later',
      async (conclusion) => {
        const held = await running()
        expect(await applyEvent(held, conclusion)).toBe('changed')
        const before = await bench().job(held.jobId)
        expect(before.state).toBe(conclusion === 'failure' ? 'completed' : 'cancelled')
        expect(await seal(held, drained(held.at - 3_000))).toBe('lost')
        expect(await bench().job(held.jobId)).toEqual({ ...before, state: 'lost' })
        const { timeline } = await bench().file(held.jobId)
        expect(timeline.filter(({ kind }) => kind === 'judgedLost')).toMatchObject([
          {
            subject: 'job',
            jobId: held.jobId,
            facts: { death: 'node-drained', was: before.state, conclusion: conclusion },
          },
        ])
        expect((await bench().runner(held.runnerId)).state).toBe('ended')
      },
    )

    it('stay lost, whatever is said of them again, and are sealed once', async () => {
      const held = await running()
      await applyEvent(held)
      expect(await seal(held, drained(held.at - 3_000))).toBe('lost')
      const before = await bench().file(held.jobId)
      for (const conclusion of ['cancelled', 'failure', 'success'])
        expect(await applyEvent(held, conclusion)).toBe('nothing')
      expect(await seal(held, drained(held.at - 3_000))).toBe('already')
      expect(await bench().file(held.jobId)).toEqual(before)
    })

    it('are not those whose runner had to go after the forge had ended them, in either order', async () => {
      const held = await running()
      await applyEvent(held)
      expect(await seal(held, drained(held.at + 2_000))).toBe('sealed')
      expect((await bench().job(held.jobId)).state).toBe('cancelled')
      await bench().queue(2)
      const other = { ...(await bench().running()), at: held.at }
      await seal(other, drained(held.at + 2_000))
      await applyEvent(other)
      expect((await bench().job(other.jobId)).state).toBe('cancelled')
    })

    /** The last heartbeat of its host was so long before the forge's end. */
    const silent = (at: number, beforeMs: number, wasRegistered = true) =>
      lostRecord({ class: 'host-lost', because: [], silence: { lastHeardAt: at - beforeMs, wasRegistered } })

    it.each(['cancelled', 'failure'])(
      'are %s at the forge after their host had fallen silent, in either order',
      async (conclusion) => {
        const held = await running()
        expect(await applyEvent(held, conclusion)).toBe('changed')
        expect(await seal(held, silent(held.at, 30_000))).toBe('lost')
        expect(await bench().job(held.jobId)).toMatchObject({ state: 'lost', conclusion: conclusion })
        await bench().queue(2)
        const other = { ...(await bench().running()), at: held.at }
        expect(await seal(other, silent(held.at, 30_000))).toBe('sealed')
        expect(await applyEvent(other, conclusion)).toBe('lost')
      },
    )

    it('are not those of a runner that may have outlived its host and reported them itself', async () => {
      const held = await running()
      await applyEvent(held, 'failure')
      expect(await seal(held, silent(held.at, 30_000, false))).toBe('sealed')
      expect((await bench().job(held.jobId)).state).toBe('completed')
    })

    it('are not those that the forge had ended while their host may still have lived', async () => {
      const held = await running()
      await applyEvent(held, 'failure')
      expect(await seal(held, silent(held.at, 10_000))).toBe('sealed')
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'completed', conclusion: 'failure' })
    })

    /** A runner whose pod was deleted, and which reported what it could and ended with 0. */
    const deleted = (deletedAt: number) =>
      aDeathRecord({
        class: 'clean',
        ending: anEnd({ exitCode: 0, endedAt: deletedAt + 8_000, pod: aPodEnd({ deletedAt }) }),
      })

    it('are cancelled ones whose pod somebody deleted before, though their runner ended in order; in either order', async () => {
      const held = await running()
      await applyEvent(held)
      expect(await seal(held, deleted(held.at - 3_000))).toBe('lost')
      const { timeline } = await bench().file(held.jobId)
      expect(timeline.find(({ kind }) => kind === 'judgedLost')).toMatchObject({
        facts: { death: 'deleted' },
      })
      await bench().queue(2)
      const other = { ...(await bench().running()), at: held.at }
      expect(await seal(other, deleted(held.at - 3_000))).toBe('sealed')
      expect(await applyEvent(other)).toBe('lost')
    })

    it('are not cancelled ones whose pod was deleted after that, nor failures that their runner reported', async () => {
      const held = await running()
      await applyEvent(held)
      expect(await seal(held, deleted(held.at + 1_000))).toBe('sealed')
      expect((await bench().job(held.jobId)).state).toBe('cancelled')
      await bench().queue(2)
      const other = { ...(await bench().running()), at: held.at }
      await applyEvent(other, 'failure')
      expect(await seal(other, deleted(held.at - 3_000))).toBe('sealed')
      expect((await bench().job(other.jobId)).state).toBe('completed')
    })

    it('are not those that a person cancelled: the runner reported that, and ended in order', async () => {
      const held = await running()
      await applyEvent(held)
      const clean = aDeathRecord({ class: 'clean', ending: anEnd({ exitCode: 0, endedAt: held.at - 1 }) })
      expect(await seal(held, clean)).toBe('sealed')
      expect((await bench().job(held.jobId)).state).toBe('cancelled')
    })

    it('are not those that succeeded, whatever became of their runner', async () => {
      const held = await running()
      await applyEvent(held, 'success')
      expect(await seal(held, drained(held.at - 3_000))).toBe('sealed')
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'completed', conclusion: 'success' })
    })

    it('are not those that were past the limit of their pool, whatever ended their runner', async () => {
      const held = await running()
      const note = { limitMs: 1_000, ranMs: 2_000, cancel: null } as const
      expect(await bench().ledger.notePastDeadline(held.handle, note, cause)).toEqual({ kind: 'ok' })
      await applyEvent(held)
      expect(await seal(held, drained(held.at - 3_000))).toBe('sealed')
      expect((await bench().job(held.jobId)).state).toBe('cancelled')
    })

    it('are those that the forge gave up while their runner lived', async () => {
      const held = await running()
      await applyEvent(held, 'failure')
      const ending = anEnd({ endedAt: held.at + minuteMs })
      expect(await seal(held, aDeathRecord({ class: 'forge-gave-up', confidence: 'likely', ending }))).toBe(
        'lost',
      )
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'lost', conclusion: 'failure' })
    })

    it('are not those of a runner whose end nobody saw, where the event came first', async () => {
      const held = await running()
      await applyEvent(held)
      expect(await seal(held, lostRecord({ class: 'host-lost', because: [] }))).toBe('sealed')
      expect((await bench().job(held.jobId)).state).toBe('cancelled')
    })

    it('are not those that waited: the runner that was meant for them never ran them', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      const at = (await bench().ledger.now()) - minuteMs
      await seal(held, drained(at - 3_000))
      const event = completed(await bench().job(held.jobId), null, {
        conclusion: 'cancelled',
        completedAt: at,
      })
      await bench().ledger.applyJobEvent(event, cause)
      expect((await bench().job(held.jobId)).state).toBe('cancelled')
    })

    it('are archived as lost, with the event and the death record', async () => {
      const held = await running()
      await applyEvent(held)
      await seal(held, drained(held.at - 3_000))
      const before = await bench().file(held.jobId)
      expect(await bench().ledger.archive(0, 10)).toBeGreaterThan(0)
      expect(await bench().file(held.jobId)).toEqual({ ...before, archived: true })
      expect(before.job).toMatchObject({ state: 'lost', conclusion: 'cancelled' })
      expect(await applyEvent(held)).toBe('nothing')
    })
  })
}
