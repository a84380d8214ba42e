import { describe, expect, it } from 'vitest'
import type { Due, Ledger } from '../../../src/ports/ledger.ts'
import {
  cause,
  contractInstallation,
  death,
  farMs,
  host,
  jobEvent,
  type MakeLedger,
  pool,
  topic,
} from './kit.ts'

/** A row that only a newer version can read: it stops nothing, it is not absent, and nobody touches it. */
export function unreadable(make: MakeLedger): void {
  topic('a row that only a newer version can read', make, (bench) => {
    const strange = (list: { readonly unreadable: readonly { readonly id: number }[] }) =>
      list.unreadable.map(({ id }) => id)

    describe('that is a runner', () => {
      const two = async () => ({ good: await bench().idleRunner(), bad: await bench().idleRunner() })

      it('is listed as unreadable next to the others, whatever state is asked for', async () => {
        const { good, bad } = await two()
        await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        for (const filter of [undefined, { states: ['polling'] }, { host, pool: 'linux' }] as const) {
          const listed = await bench().ledger.runners(5, filter)
          expect(listed.rows.map(({ id }) => id)).toEqual([good.id])
          const { id, name, pool } = bad
          expect(listed.unreadable).toMatchObject([{ id, name, pool, host, isEnded: false }])
          expect(listed.unreadable[0]?.error).toMatchObject({ code: 'E_LEDGER_ROW' })
        }
      })

      it('is not listed where others are asked for by pool, host or name', async () => {
        const { good, bad } = await two()
        await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        for (const filter of [{ pool: 'mac' }, { host: 'there' }, { names: [good.name] }])
          expect(strange(await bench().ledger.runners(5, filter))).toEqual([])
      })

      it('is listed as ever once it can be read again', async () => {
        const { good, bad } = await two()
        const undo = await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        await undo()
        const { rows, unreadable: left } = await bench().ledger.runners(5)
        expect([rows.map(({ id }) => id), left]).toEqual([[good.id, bad.id], []])
      })

      it('counts as one that lives, and not as one that is idle', async () => {
        const { bad } = await two()
        await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        const [counts] = await bench().ledger.counts()
        expect(counts).toMatchObject({ unreadable: 1, runners: { polling: 1, booting: 0, busy: 0 } })
        expect(await bench().ledger.hosts()).toMatchObject([{ id: host, liveRunners: 2 }])
        expect(await bench().ledger.runnersAlive(9)).toHaveLength(2)
      })

      it('is neither found nor absent by its name, and others are found', async () => {
        const { good, bad } = await two()
        await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        const [ofBad, ofGood] = await Promise.allSettled([
          bench().ledger.findRunner(bad.name),
          bench().ledger.findRunner(good.name),
        ])
        expect(ofBad).toMatchObject({ status: 'rejected', reason: { code: 'E_LEDGER_ROW' } })
        expect(ofGood).toMatchObject({ status: 'fulfilled', value: { id: good.id } })
        await expect(bench().ledger.runnerFile(bad.name)).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
      })

      it('does not get the answer to leave when it asks for work, and gets no job', async () => {
        const { bad } = await two()
        await bench().queue(1)
        await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        expect(await bench().ledger.polled(bad.id)).toBe('polling')
        expect(await bench().ledger.claim(bad, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
        expect(await bench().ledger.waiting([bad.id])).toEqual(new Set())
      })

      it.each(['fence', 'sealDeath'] as const)('is not moved by %s', async (how) => {
        const { bad } = await two()
        const undo = await bench().makeUnreadable({ kind: 'runner', id: bad.id })
        const { ledger } = bench()
        const asked =
          how === 'fence'
            ? ledger.fence(bad.id, 'a test', cause)
            : ledger.sealDeath(bad.id, death(), 'killed', cause)
        await expect(asked).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
        await undo()
        expect(await bench().runner(bad.id)).toMatchObject({ state: 'polling', endedAt: null })
      })
    })

    describe('that is a job', () => {
      it('is listed as unreadable next to the others, whatever state is asked for', async () => {
        const [bad, good] = [await bench().queue(1), await bench().queue(2)]
        await bench().makeUnreadable({ kind: 'job', id: bad })
        for (const states of [undefined, ['queued'], ['completed', 'lost']] as const) {
          const listed = await bench().ledger.jobs({ ...(states && { states }), limit: 5 })
          expect(listed.rows.map(({ id }) => id)).toEqual(states?.[0] === 'completed' ? [] : [good])
          expect(listed.unreadable).toMatchObject([{ id: bad, repository: 'acme/app', isEnded: false }])
        }
        const elsewhere = await bench().ledger.jobs({ repository: 'acme/other', limit: 5 })
        expect(elsewhere).toEqual({ rows: [], unreadable: [] })
      })

      it('is given to no runner, and the others are', async () => {
        const [bad, good] = [await bench().queue(1), await bench().queue(2)]
        await bench().makeUnreadable({ kind: 'job', id: bad })
        expect(await bench().ledger.counts()).toMatchObject([{ queued: 1, dispatchable: 1 }])
        expect((await bench().claimed()).jobId).toBe(good)
        const idle = await bench().idleRunner()
        expect(await bench().ledger.claim(idle, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
      })

      it('counts against the caps of its repository and owner, and not against those of others', async () => {
        const fairness = { capPerRepository: 1, capPerOwner: 2 }
        await bench().ledger.putPools([pool({ fairness })], cause)
        const bad = await bench().queue(1)
        expect((await bench().claimed()).jobId).toBe(bad)
        const same = await bench().queue(2)
        const undo = await bench().makeUnreadable({ kind: 'job', id: bad })
        const idle = await bench().idleRunner()
        const ask = () => bench().ledger.claim(idle, bench().handle(), farMs)
        expect(await bench().ledger.counts()).toMatchObject([{ queued: 1, dispatchable: 0 }])
        expect(await ask()).toEqual({ kind: 'nothing' })
        expect(await bench().ledger.queueFacts(same)).toMatchObject({
          runningOfRepository: 1,
          runningOfOwner: 1,
        })
        const other = await bench().queue(3, { repository: 'acme/other' })
        expect(await bench().ledger.counts()).toMatchObject([{ queued: 2, dispatchable: 1 }])
        expect(await ask()).toMatchObject({ claim: { job: { id: other } } })
        await undo()
        const third = await bench().queue(4, { repository: 'acme/third' })
        expect(await bench().ledger.queueFacts(third)).toMatchObject({ runningOfOwner: 2 })
        expect(await bench().ledger.counts()).toMatchObject([{ dispatchable: 0 }])
      })

      it('takes no event, and is not taken for an unknown job', async () => {
        const bad = await bench().queue(1)
        const undo = await bench().makeUnreadable({ kind: 'job', id: bad })
        const { ledger } = bench()
        const applying = ledger.applyJobEvent(jobEvent(1, 'completed', { conclusion: 'success' }), cause)
        await expect(applying).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
        await expect(ledger.findJob(contractInstallation, 1)).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
        await expect(ledger.jobFile(bad)).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
        expect(await ledger.applyJobEvent(jobEvent(2, 'queued'), cause)).toMatchObject({ kind: 'new' })
        await undo()
        expect(await bench().job(bad)).toMatchObject({ state: 'queued', conclusion: null })
      })

      it('keeps its run from being taken for settled', async () => {
        for (const [forgeJobId, runId] of [
          [1, 7],
          [2, 7],
          [3, 8],
        ] as const)
          await bench().queue(forgeJobId, { runId })
        for (const [forgeJobId, runId] of [
          [1, 7],
          [3, 8],
        ] as const)
          await bench().ledger.applyJobEvent(jobEvent(forgeJobId, 'completed', { runId }), cause)
        await bench().makeUnreadable({ kind: 'job', id: 2 })
        expect(await bench().ledger.settledRuns(contractInstallation, 0)).toEqual(new Set([8]))
      })
    })

    describe('is due as what it is, and postponed as any other', () => {
      const named = (due: Due) => (due.kind === 'unreadable' ? `${due.of.kind} ${due.of.id}` : due.kind)
      const dueNow = async (ledger: Ledger) => (await ledger.due(9, host)).map(named)

      it.each(['job', 'attempt', 'runner'] as const)('%s', async (kind) => {
        const waiting = await bench().queue(1)
        const job = await bench().queue(2)
        const { runnerId, handle } = await bench().delivered()
        const { ledger } = bench()
        const attempt = (await bench().file(waiting)).attempts.find((each) => each.handle === handle)
        const id = { job, attempt: attempt?.id ?? 0, runner: runnerId }[kind]
        await bench().makeUnreadable({ kind, id })
        for (const of of [
          { kind: 'job', id: job },
          { kind: 'attempt', id: attempt?.id ?? 0 },
          { kind: 'runner', id: runnerId },
        ] as const)
          await ledger.postpone(of, 0)
        const found = await dueNow(ledger)
        expect(found).toHaveLength(3)
        expect(found).toContain(`${kind} ${id}`)
        await expect(ledger.subject({ kind, id })).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
        await ledger.postpone({ kind, id }, farMs)
        expect(await dueNow(ledger)).not.toContain(`${kind} ${id}`)
      })
    })

    it.each(['attempt', 'runner'] as const)(
      'that is %s of a job keeps the job where it is until it can be read again',
      async (kind) => {
        const jobId = await bench().queue(1)
        const of = await bench().registered()
        const attempt = await bench().attempt(of)
        const id = { attempt: attempt.id, runner: of.runnerId }[kind]
        const undo = await bench().makeUnreadable({ kind, id })
        const { ledger } = bench()
        const event = jobEvent(1, 'in_progress', { runnerName: of.name })
        await expect(ledger.applyJobEvent(event, cause)).rejects.toMatchObject({ code: 'E_LEDGER_ROW' })
        await undo()
        expect(await bench().job(jobId)).toMatchObject({ state: 'registered' })
        expect(await ledger.applyJobEvent(event, cause)).toMatchObject({ kind: 'changed' })
      },
    )
  })
}
