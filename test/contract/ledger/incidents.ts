import { expect, it } from 'vitest'
import type { NewIncident } from '../../../src/ports/ledger.ts'
import { contractInstallation, farMs, jit, type MakeLedger, topic } from './kit.ts'

const disabled: NewIncident = {
  kind: 'actions-disabled',
  installation: contractInstallation,
  scope: 'repository',
  key: 'acme/a',
  reason: 'Actions are disabled here.',
}

/** Problems that only a person can resolve: reported once, open as long as they last, closed at once. */
export function incidents(make: MakeLedger): void {
  topic('incidents', make, (bench) => {
    const raise = (over: Partial<NewIncident> = {}, holdMs = farMs) =>
      bench().ledger.raiseIncident({ ...disabled, ...over }, holdMs)
    const open = async () =>
      (await bench().ledger.incidents(0)).map(({ scope, key, kind }) => `${scope} ${key} ${kind}`)

    it('opens an incident once as long as it lasts, and counts how often it was seen', async () => {
      const before = await bench().ledger.now()
      expect(await raise()).toBe('opened')
      const [first] = await bench().ledger.incidents(0)
      expect(first).toMatchObject({ ...disabled, timesSeen: 1, closedAt: null })
      expect(first?.openedAt).toBeGreaterThanOrEqual(before)
      expect(await raise({ reason: 'Still.' })).toBe('known')
      const [again, ...others] = await bench().ledger.incidents(0)
      expect(again).toMatchObject({ id: first?.id, reason: 'Still.', timesSeen: 2 })
      expect(again?.openedAt).toBe(first?.openedAt)
      expect(again?.lastSeenAt).toBeGreaterThanOrEqual(first?.lastSeenAt as number)
      expect(others).toEqual([])
    })

    it('opens it once when two see it at the same time', async () => {
      expect((await Promise.all([raise(), raise()])).sort()).toEqual(['known', 'opened'])
    })

    it.each<[string, Partial<NewIncident>]>([
      ['another kind', { kind: 'runners-disabled' }],
      ['another installation', { installation: 'elsewhere' }],
      ['another scope', { scope: 'account' }],
      ['another key', { key: 'acme/b' }],
    ])('takes %s for another incident', async (_, over) => {
      await raise()
      expect(await raise(over)).toBe('opened')
      expect(await bench().ledger.incidents(0)).toHaveLength(2)
    })

    it('holds the jobs of a repository, and no others', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      const other = await bench().queue(2, { repository: 'acme/b' })
      await raise()
      expect((await bench().claimed()).jobId).toBe(other)
      await nothing()
    })

    it('holds the jobs of an account, and no others', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      await bench().queue(2, { repository: 'acme/b' })
      const other = await bench().queue(3, { repository: 'zeta/a' })
      await raise({ scope: 'account', key: 'acme' })
      expect((await bench().claimed()).jobId).toBe(other)
      await nothing()
    })

    it('holds nothing for an incident of an installation', async () => {
      const jobId = await bench().queue(1)
      expect(await raise({ scope: 'installation', key: contractInstallation })).toBe('opened')
      expect((await bench().claimed()).jobId).toBe(jobId)
    })

    it('holds nothing for an incident of runners, and no mint disproves it', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/a' })
      const [kind, key] = ['deaths-of-repository', 'acme/a'] as const // of its name is a repository
      expect(await raise({ scope: 'runners', kind, key })).toBe('opened')
      const held = await bench().claimed()
      expect(held.jobId).toBe(jobId)
      await bench().ledger.minted(held.handle, 1, jit('one'), farMs)
      expect(await open()).toEqual([`runners ${key} ${kind}`])
    })

    it('lets a job try again when the time is over, while the incident stays open', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/a' })
      await raise({}, 0)
      expect((await bench().claimed()).jobId).toBe(jobId)
      expect(await open()).toEqual(['repository acme/a actions-disabled'])
    })

    it('says why a job waits', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/a' })
      await raise()
      const hold = (await bench().ledger.queueFacts(jobId))?.hold
      expect(hold).toEqual({ key: 'acme/a', reason: disabled.reason, until: expect.any(Number) })
    })

    it('gives the jobs out at once when it is lifted', async () => {
      const jobId = await bench().queue(1, { repository: 'acme/a' })
      await raise()
      expect(await bench().ledger.liftIncident(disabled)).toBe('lifted')
      expect((await bench().claimed()).jobId).toBe(jobId)
      expect(await open()).toEqual([])
    })

    it('lifts an incident once, and none that is not open', async () => {
      expect(await bench().ledger.liftIncident(disabled)).toBe('none')
      await raise()
      expect(await bench().ledger.liftIncident({ ...disabled, key: 'acme/b' })).toBe('none')
      expect(await bench().ledger.liftIncident({ ...disabled, kind: 'runners-disabled' })).toBe('none')
      expect(await bench().ledger.liftIncident(disabled)).toBe('lifted')
      expect(await bench().ledger.liftIncident(disabled)).toBe('none')
    })

    it('keeps the jobs back for what is left when one of two incidents is lifted', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      await raise()
      await raise({ kind: 'runners-disabled' })
      await bench().ledger.liftIncident(disabled)
      await nothing()
    })

    it('does not shorten a hold that has another reason', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      const failure = { reason: 'slow down', concerns: 'repository', delayMs: farMs } as const
      const held = await bench().claimed()
      await bench().ledger.mintFailed(held.handle, { ...failure, failuresMax: 9, incident: null })
      await bench().queue(2, { repository: 'acme/a' })
      await raise()
      await bench().ledger.liftIncident(disabled)
      await nothing()
    })

    it('opens an incident again that was lifted before', async () => {
      await raise()
      await bench().ledger.liftIncident(disabled)
      expect(await raise()).toBe('opened')
      const [now, before] = await bench().ledger.incidents(10)
      expect(now).toMatchObject({ timesSeen: 1, closedAt: null })
      expect(before?.closedAt).not.toBeNull()
      expect(before?.id).not.toBe(now?.id)
    })

    it('lists open incidents and the latest closed ones, the newest first', async () => {
      for (const key of ['one', 'two', 'three', 'four']) await raise({ key })
      for (const key of ['three', 'one']) await bench().ledger.liftIncident({ ...disabled, key })
      const keys = async (closed: number) => (await bench().ledger.incidents(closed)).map(({ key }) => key)
      expect(await keys(0)).toEqual(['four', 'two'])
      expect(await keys(1)).toEqual(['four', 'two', 'one'])
      expect(await keys(2)).toEqual(['four', 'three', 'two', 'one'])
    })

    it('is over when a runner could be minted for its repository, account or installation', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      const waiting = await bench().queue(2, { repository: 'acme/a' })
      const held = await bench().claimed()
      await raise()
      await raise({ scope: 'account', key: 'acme', kind: 'ip-not-allowed' })
      await raise({ scope: 'installation', key: contractInstallation, kind: 'credentials-refused' })
      await nothing()
      await bench().ledger.minted(held.handle, 1, jit('one'), farMs)
      expect(await open()).toEqual([])
      expect((await bench().claimed()).jobId).toBe(waiting)
    })

    it('is not over when a runner could be minted for another repository, account or installation', async () => {
      await bench().queue(1, { repository: 'acme/b' })
      const held = await bench().claimed()
      await raise()
      await raise({ scope: 'account', key: 'zeta' })
      await raise({ installation: 'elsewhere', key: 'acme/b' })
      await bench().ledger.minted(held.handle, 1, jit('one'), farMs)
      expect(await bench().ledger.incidents(0)).toHaveLength(3)
    })

    it('is not over by a mint that does not disprove it', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      await bench().queue(2, { repository: 'acme/a' })
      const held = await bench().claimed()
      await raise({ kind: 'runner-group-excludes' })
      await bench().ledger.minted(held.handle, 1, jit('one'), farMs)
      expect(await open()).toEqual(['repository acme/a runner-group-excludes'])
      await nothing()
    })

    it('is not over by a mint that came too late', async () => {
      await bench().queue(1, { repository: 'acme/a' })
      const held = await bench().claimed()
      const fate = { kind: 'gone' } as const
      const end = { kind: 'claimExpired', proof: null, fate } as const
      await bench().ledger.endAttempt(held.handle, end, { source: 'recovery' })
      await raise()
      expect(await bench().ledger.minted(held.handle, 1, jit('one'), farMs)).toEqual({ kind: 'lost' })
      expect(await open()).toHaveLength(1)
    })

    it('purges an incident that was over before, and never one that is open', async () => {
      await raise()
      await raise({ key: 'acme/b' })
      await bench().ledger.liftIncident(disabled)
      await bench().ledger.purge(farMs, 10)
      expect(await bench().ledger.incidents(10)).toHaveLength(2)
      await bench().ledger.purge(0, 10)
      expect((await bench().ledger.incidents(10)).map(({ key }) => key)).toEqual(['acme/b'])
    })

    async function nothing(): Promise<void> {
      const runner = await bench().idleRunner()
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
    }
  })
}
