import { expect, it } from 'vitest'
import { cause, death, farMs, type MakeLedger, pool, topic } from './kit.ts'

/** Only those runners that somebody asks about. */
export function runnerLists(make: MakeLedger): void {
  topic('lists of runners', make, (bench) => {
    const names = async (...asked: Parameters<ReturnType<typeof bench>['ledger']['runners']>) =>
      (await bench().ledger.runners(...asked)).rows.map(({ name }) => name)
    const enrol = async (name: string, of = 'linux', host = 'here') =>
      await bench().ledger.enrol({ name, pool: of, host, identityHash: null, bootDeadlineMs: farMs }, cause)
    /** a: polling, b: booting, c: another pool, d: another host, e and f: ended, the latter of another pool. */
    const populate = async () => {
      await bench().ledger.putPools([pool(), pool({ name: 'mac', labels: ['mac'] })], cause)
      await bench().ledger.polled((await enrol('a')).id)
      await enrol('b')
      await enrol('c', 'mac')
      await enrol('d', 'linux', 'there')
      for (const [name, of] of [
        ['e', 'linux'],
        ['f', 'mac'],
      ] as const) {
        await bench().ledger.sealDeath((await enrol(name, of)).id, death(), 'killed', cause)
      }
    }

    it.each([
      [0, undefined, ['a', 'b', 'c', 'd']],
      [9, undefined, ['a', 'b', 'c', 'd', 'f', 'e']],
      [0, {}, ['a', 'b', 'c', 'd']],
      [0, { pool: 'linux' }, ['a', 'b', 'd']],
      [9, { pool: 'mac' }, ['c', 'f']],
      [9, { pool: 'none' }, []],
      [0, { host: 'here' }, ['a', 'b', 'c']],
      [0, { states: ['booting'] }, ['b', 'c', 'd']],
      [9, { states: ['polling', 'ended'] }, ['a', 'f', 'e']],
      [0, { states: ['ended'] }, []],
      [9, { states: [] }, []],
      [9, { names: ['b', 'nobody', 'e'] }, ['b', 'e']],
      [0, { names: ['b', 'e'] }, ['b']],
      [9, { names: [] }, []],
      [9, { pool: 'linux', host: 'here', states: ['booting', 'polling'], names: ['a', 'd'] }, ['a']],
    ] as const)('with up to %i ended ones and %o gives %o', async (endedLimit, filter, expected) => {
      await populate()
      expect(await names(endedLimit, filter)).toEqual(expected)
    })

    it('counts ended ones of the filter alone towards the limit', async () => {
      await populate()
      expect(await names(1, { pool: 'linux' })).toEqual(['a', 'b', 'd', 'e'])
    })

    it('gives each with the job that it has', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      expect((await bench().ledger.runners(0, { states: ['claimed'] })).rows).toMatchObject([
        { id: held.runnerId, jobId: held.jobId },
      ])
    })
  })
}
