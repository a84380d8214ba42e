import { expect, it } from 'vitest'
import { aPodEnd } from '../../../src/domain/death/testing.ts'
import { cause, completed, death, type MakeLedger, neverRegistered, topic } from './kit.ts'

/** The rows of one runner: attempts, evidence, death, timeline. */
export function runnerFiles(make: MakeLedger): void {
  topic('files of runners', make, (bench) => {
    const file = async (name: string) => await bench().ledger.runnerFile(name)
    const nameOf = async (runnerId: number) => (await bench().runner(runnerId)).name

    it('finds no runner by an unknown name', async () => {
      expect(await file('nobody')).toBeNull()
    })

    it('has of a runner that was given nothing its own rows alone', async () => {
      const runner = await bench().idleRunner()
      const other = await bench().idleRunner()
      await bench().ledger.fence(other.id, 'drained', cause)
      const found = await file(runner.name)
      expect(found?.runner).toEqual(await bench().ledger.findRunner(runner.name))
      expect(found).toMatchObject({ attempts: [], decisions: [], evidence: [] })
      expect(found?.timeline.map(({ subject, subjectId, kind }) => [subject, subjectId, kind])).toEqual([
        ['runner', runner.id, 'enrolled'],
        ['runner', runner.id, 'polled'],
      ])
    })

    it('has the attempt with its job, the decisions about it, its death and its evidence', async () => {
      await bench().queue(1)
      await bench().queue(2)
      const held = await bench().running()
      await bench().running()
      const name = await nameOf(held.runnerId)
      const decision = { rule: 'a-rule', facts: {}, actions: [{ kind: 'wait' }] }
      const about = { jobId: held.jobId, attemptId: null, runnerId: null }
      const ofRunner = await bench().ledger.recordDecision({
        ...decision,
        ...about,
        jobId: null,
        runnerId: held.runnerId,
      })
      const { id } = await bench().attempt(held)
      const ofAttempt = await bench().ledger.recordDecision({ ...decision, ...about, attemptId: id })
      await bench().ledger.recordDecision({ ...decision, ...about })
      await bench().ledger.sealDeath(held.runnerId, death({ tail: 'last words' }), 'killed', cause)
      await bench().ledger.applyJobEvent(completed(await bench().job(held.jobId), held.name), cause)
      const found = await file(name)
      expect(found?.runner).toMatchObject({ id: held.runnerId, state: 'ended' })
      expect(found?.attempts).toEqual([
        { attempt: await bench().attempt(held), job: await bench().job(held.jobId) },
      ])
      expect(found?.decisions.map((row) => row.id)).toEqual([ofRunner, ofAttempt])
      expect(found?.evidence.map(({ kind, runnerId }) => [kind, runnerId])).toEqual([
        ['runner-death', held.runnerId],
        ['forge-word', null],
      ])
      expect(found?.evidence[0]?.record).toMatchObject({ ending: { tail: 'last words' } })
      const kinds = found?.timeline.map(({ subject, kind }) => `${subject} ${kind}`)
      expect(kinds).toContain('attempt minted')
      expect(kinds?.at(-1)).toBe('attempt finished')
      expect(kinds).toContain('runner gone')
      expect(found?.timeline.map((row) => row.id)).toEqual(
        found?.timeline.map((row) => row.id).toSorted((a, b) => a - b),
      )
      expect(kinds?.some((kind) => kind.startsWith('job '))).toBe(false)
    })

    it('is found by the name that the forge knows it by, and a name of its own goes before', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      expect((await file(held.name))?.runner.id).toBe(held.runnerId)
      const given = { pool: 'linux', host: 'host-1', identityHash: null, bootDeadlineMs: 1_000 }
      const namesake = await bench().ledger.enrol({ ...given, name: held.name }, cause)
      expect((await file(held.name))?.runner.id).toBe(namesake.id)
    })

    it('has every attempt of a runner, the oldest first', async () => {
      await bench().queue(1)
      const first = await bench().claimed()
      const failure = { reason: 'no', concerns: 'job', delayMs: 0, failuresMax: 5, incident: null } as const
      await bench().ledger.mintFailed(first.handle, failure)
      const second = await bench().delivered({ runnerId: first.runnerId })
      await bench().ledger.endAttempt(second.handle, neverRegistered, cause)
      const found = await file(await nameOf(first.runnerId))
      expect(found?.attempts.map(({ attempt }) => attempt.endReason)).toEqual([
        'mint-failed',
        'never-registered',
      ])
    })

    it('keeps the attempts of a runner that lives, although their jobs are over', async () => {
      await bench().queue(1)
      const held = await bench().running()
      await bench().ledger.applyJobEvent(completed(await bench().job(held.jobId), held.name), cause)
      await bench().ledger.archive(0, 10)
      expect(await file(await nameOf(held.runnerId))).toMatchObject({
        attempts: [{ job: { id: held.jobId } }],
        runner: { id: held.runnerId },
      })
    })

    it('leads from a pod to the runner that it was', async () => {
      const place = (uid: string) => ({ namespace: 'ci', pod: 'x', uid, node: null })
      const first = await bench().idleRunner()
      const second = await bench().idleRunner()
      await bench().idleRunner()
      await bench().ledger.sealDeath(first.id, death({ pod: aPodEnd({ place: place('uid-1') }) }), 'x', cause)
      await bench().ledger.sealDeath(second.id, death(), 'x', cause)
      expect(await bench().ledger.runnerOfPod('uid-1')).toBe(first.name)
      expect(await bench().ledger.runnerOfPod('uid-2')).toBeNull()
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.runnerOfPod('uid-1')).toBe(first.name)
      expect(await file(first.name)).toMatchObject({
        runner: { id: first.id },
        evidence: [{ kind: 'runner-death', runnerId: first.id }],
      })
    })
  })
}
