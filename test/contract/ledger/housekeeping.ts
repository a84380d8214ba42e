import { expect, it } from 'vitest'
import {
  attemptStages,
  cause,
  completed,
  contractInstallation,
  death,
  farMs,
  jit,
  type MakeLedger,
  started,
  topic,
} from './kit.ts'

/** Retention, the archive, and sealing of JITs with another key. */
export function housekeeping(make: MakeLedger): void {
  topic('housekeeping', make, (bench) => {
    /** A job that is over, whose runner is still there. */
    const finishedJob = async (forgeJobId: number) => {
      await bench().queue(forgeJobId)
      const held = await bench().running()
      await bench().ledger.applyJobEvent(completed(await bench().job(held.jobId), held.name), cause)
      return held
    }
    /** A job that is over, and its runner too. */
    const settledJob = async (forgeJobId: number) => {
      const held = await finishedJob(forgeJobId)
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      return held
    }

    it('archives a job that ended, and still answers everything about it', async () => {
      const held = await settledJob(1)
      const decision = {
        rule: 'r',
        jobId: held.jobId,
        attemptId: null,
        runnerId: null,
        facts: {},
        actions: [],
      }
      await bench().ledger.recordDecision(decision)
      const before = await bench().file(held.jobId)
      expect(before.archived).toBe(false)
      expect(await bench().ledger.archive(0, 10)).toBe(1)
      expect(await bench().file(held.jobId)).toEqual({ ...before, archived: true })
      expect(await bench().ledger.findJob(contractInstallation, 1)).toEqual(before.job)
    })

    it('does not archive twice', async () => {
      await settledJob(1)
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.archive(0, 10)).toBe(0)
    })

    it('does not archive a job that ended lately', async () => {
      const held = await settledJob(1)
      expect(await bench().ledger.archive(farMs, 10)).toBe(0)
      expect((await bench().file(held.jobId)).archived).toBe(false)
    })

    it.each(attemptStages)('does not archive a job whose attempt is %s', async (stage) => {
      await bench().queue(1)
      const held = await bench()[stage]()
      expect(await bench().ledger.archive(0, 10)).toBe(0)
      expect((await bench().attempt(held)).state).toBe(stage)
    })

    it('does not archive a job that is queued', async () => {
      await bench().queue(1)
      expect(await bench().ledger.archive(0, 10)).toBe(0)
    })

    it('archives no more than the limit, those that ended first', async () => {
      const first = await settledJob(1)
      const second = await settledJob(2)
      expect(await bench().ledger.archive(0, 1)).toBe(1)
      expect((await bench().file(first.jobId)).archived).toBe(true)
      expect((await bench().file(second.jobId)).archived).toBe(false)
    })

    it.each(['queued', 'in_progress', 'completed'] as const)(
      'changes nothing on a %s event about an archived job (I8)',
      async (status) => {
        const held = await settledJob(1)
        await bench().ledger.archive(0, 10)
        const before = await bench().file(held.jobId)
        const late = { ...started(before.job, held.name), status }
        expect(await bench().ledger.applyJobEvent(late, cause)).toEqual({
          kind: 'nothing',
          jobId: held.jobId,
        })
        expect(await bench().file(held.jobId)).toEqual(before)
        expect((await bench().ledger.jobs({ states: ['queued', 'running'], limit: 10 })).rows).toEqual([])
      },
    )

    it('does not archive a job whose runner lives: its attempt has the name under which the forge knows it', async () => {
      const held = await finishedJob(1)
      expect(await bench().ledger.archive(0, 10)).toBe(0)
      expect(await bench().runner(held.runnerId)).toMatchObject({ state: 'busy', jobId: null })
      expect(await bench().ledger.subject({ kind: 'runner', id: held.runnerId })).toMatchObject({
        hasOpenAttempt: false,
        last: { attempt: { handle: held.handle }, job: { id: held.jobId } },
      })
    })

    it('archives it when its runner has ended, and shows the death with it', async () => {
      const held = await finishedJob(1)
      expect(await bench().ledger.archive(0, 10)).toBe(0)
      await bench().ledger.sealDeath(held.runnerId, death(), 'killed', cause)
      expect(await bench().ledger.archive(0, 10)).toBe(1)
      const { evidence } = await bench().file(held.jobId)
      expect(evidence.map(({ kind }) => kind)).toEqual(['forge-word', 'runner-death'])
      expect(evidence[1]).toMatchObject({ runnerId: held.runnerId, record: { class: 'sigkill-unknown' } })
    })

    it('purges an archived job that ended before', async () => {
      const held = await settledJob(1)
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.purge(0, 10)).toBe(1)
      expect(await bench().ledger.jobFile(held.jobId)).toBeNull()
      expect(await bench().ledger.findJob(contractInstallation, 1)).toBeNull()
    })

    it('does not purge jobs that ended lately, nor jobs that are not archived', async () => {
      const held = await settledJob(1)
      expect(await bench().ledger.purge(0, 10)).toBe(0)
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.purge(farMs, 10)).toBe(0)
      expect((await bench().file(held.jobId)).archived).toBe(true)
    })

    it('purges no more than the limit', async () => {
      await settledJob(1)
      await settledJob(2)
      await bench().ledger.archive(0, 10)
      expect(await bench().ledger.purge(0, 1)).toBe(1)
      expect(await bench().ledger.purge(0, 10)).toBe(1)
    })

    it('lists jobs newest first, by state and repository, up to the limit', async () => {
      const a = await bench().queue(1, { repository: 'acme/a' })
      const b = await bench().queue(2, { repository: 'acme/b' })
      const c = await bench().queue(3, { repository: 'acme/a' })
      await bench().ledger.closeJob(a, 'gone', cause)
      const list = async (filter: object) =>
        (await bench().ledger.jobs({ limit: 10, ...filter })).rows.map(({ id }) => id)
      expect(await list({})).toEqual([c, b, a])
      expect(await list({ limit: 2 })).toEqual([c, b])
      expect(await list({ states: ['cancelled'] })).toEqual([a])
      expect(await list({ repository: 'acme/a' })).toEqual([c, a])
      expect(await list({ states: ['queued'], repository: 'acme/a' })).toEqual([c])
      expect(await list({ states: ['lost'] })).toEqual([])
    })

    it('has no file of a job that it does not know', async () => {
      expect(await bench().ledger.jobFile(4711)).toBeNull()
    })

    it('does not reseal a JIT that was delivered: it is given again as it was (I2)', async () => {
      await bench().queue(1)
      const { handle } = await bench().acknowledged()
      expect(await bench().ledger.resealJits(() => jit('resealed', 'key-2'), 10)).toBe(0)
      expect(await bench().ledger.deliver(handle, farMs)).toMatchObject({
        kind: 'ok',
        jit: { keyId: 'key-1' },
      })
    })

    it('reseals every stored JIT that was not delivered, and then finds nothing left to seal', async () => {
      for (const n of [1, 2]) await bench().queue(n)
      const held = [await bench().minted(), await bench().minted()]
      const reseal = (_: unknown, handle: string) => jit(`resealed ${handle}`, 'key-2')
      expect(await bench().ledger.resealJits(reseal, 10)).toBe(2)
      for (const { handle } of held) {
        const given = await bench().ledger.deliver(handle, farMs)
        expect(given).toMatchObject({ kind: 'ok', jit: { keyId: 'key-2' } })
        if (given.kind === 'ok') expect([...given.jit.bytes]).toEqual([...jit(`resealed ${handle}`).bytes])
      }
      expect(await bench().ledger.resealJits(reseal, 10)).toBe(0)
    })

    it('gives the sealed JIT with its handle to the function that reseals it', async () => {
      await bench().queue(1)
      const held = await bench().minted()
      const seen: string[] = []
      await bench().ledger.resealJits((sealed, handle) => {
        seen.push(`${handle} ${sealed.keyId} ${new TextDecoder().decode(sealed.bytes)}`)
        return sealed
      }, 10)
      expect(seen).toEqual([`${held.handle} key-1 sealed ${held.handle}`])
    })

    it('seals no more than the limit at once', async () => {
      for (const n of [1, 2, 3]) await bench().queue(n)
      for (let n = 0; n < 3; n += 1) await bench().minted()
      const reseal = () => jit('resealed', 'key-2')
      expect(await bench().ledger.resealJits(reseal, 2)).toBe(2)
      expect(await bench().ledger.resealJits(reseal, 2)).toBe(1)
    })

    it('has no JIT to seal of runners that have registered, or of attempts that have ended', async () => {
      for (const n of [1, 2]) await bench().queue(n)
      await bench().registered()
      const held = await bench().minted()
      const end = { kind: 'claimExpired', proof: null, fate: { kind: 'gone' } } as const
      await bench().ledger.endAttempt(held.handle, end, cause)
      expect(await bench().ledger.resealJits(() => jit('resealed', 'key-2'), 10)).toBe(0)
    })

    it('erases the JIT of a runner that the forge says is running (I2)', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.applyJobEvent(started(await bench().job(held.jobId), held.name), cause)
      expect(await bench().ledger.resealJits(() => jit('resealed', 'key-2'), 10)).toBe(0)
      expect(await bench().ledger.deliver(held.handle, farMs)).toEqual({ kind: 'lost' })
    })
  })
}
