import { expect, it } from 'vitest'
import type { Enrolled, NewRunner } from '../../../src/ports/ledger.ts'
import { cause, death, farMs, host, type MakeLedger, pool, topic } from './kit.ts'

/** Many runners at once, in a leader's name, and the proof by which each is known. */
export function enrolment(make: MakeLedger): void {
  topic('enrolment', make, (bench) => {
    const runner = (name: string, over: Partial<NewRunner> = {}): NewRunner => ({
      name,
      pool: 'linux',
      host,
      identityHash: null,
      bootDeadlineMs: farMs,
      ...over,
    })
    const some = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => runner(`linux-${(from + n).toString(16).padStart(8, '0')}`))
    const led = (token: string, lease = 'holdfast') => ({ lease, token })
    const rowsOf = (enrolled: Enrolled) => {
      if (enrolled.kind !== 'enrolled') throw new Error('deposed')
      return enrolled.runners
    }
    const names = async () => (await bench().ledger.runners(0)).rows.map(({ name }) => name)

    it('enrols many at once, and gives their rows in the order in which they were named', async () => {
      const { ledger } = bench()
      const before = await ledger.now()
      const given = [...some(0, 50).toReversed(), runner('linux-x', { identityHash: 'known' })]
      const rows = rowsOf(await ledger.enrolAll(given, cause, null))
      expect(rows.map(({ name }) => name)).toEqual(given.map(({ name }) => name))
      expect(rows.map(({ identityHash }) => identityHash)).toEqual([...Array(50).fill(null), 'known'])
      for (const row of rows) {
        expect(row).toMatchObject({ state: 'booting', pool: 'linux', host, polledAt: null })
        expect(row.checkAt).toBeGreaterThanOrEqual(before + farMs)
      }
      expect(await ledger.findRunner('linux-x')).toEqual(rows.at(-1))
      expect(new Set(rows.map(({ id }) => id)).size).toBe(51)
    })

    it('enrols nothing for an empty list', async () => {
      expect(await bench().ledger.enrolAll([], cause, led('1'))).toEqual({ kind: 'enrolled', runners: [] })
    })

    it('gives the same rows again when the answer was lost and the call is repeated', async () => {
      const { ledger } = bench()
      const given = some(0, 5)
      const first = await ledger.enrolAll(given, cause, led('4'))
      expect(await ledger.enrolAll(given, cause, led('4'))).toEqual(first)
      expect(await names()).toHaveLength(5)
    })

    it('enrols the missing ones of a list, and leaves those that exist as they are', async () => {
      const { ledger } = bench()
      const [there] = rowsOf(await ledger.enrolAll(some(0, 1), cause, null))
      await ledger.polled(there?.id as number)
      const rows = rowsOf(await ledger.enrolAll(some(0, 3), cause, null))
      expect(rows.map(({ state }) => state)).toEqual(['polling', 'booting', 'booting'])
      expect(rows[0]?.id).toBe(there?.id)
    })

    it('does not bring back a runner that ended under the name', async () => {
      const { ledger } = bench()
      const [row] = rowsOf(await ledger.enrolAll(some(0, 1), cause, null))
      await ledger.sealDeath(row?.id as number, death(), 'killed', cause)
      expect(rowsOf(await ledger.enrolAll(some(0, 1), cause, null))).toMatchObject([
        { id: row?.id, state: 'ended' },
      ])
    })

    it('makes one row of a name that is given twice, also by two callers at the same time', async () => {
      const { ledger } = bench()
      const twice = rowsOf(await ledger.enrolAll([...some(0, 2), ...some(0, 2)], cause, null))
      expect(twice.slice(2)).toEqual(twice.slice(0, 2))
      const both = await Promise.all([1, 2].map(() => ledger.enrolAll(some(10, 20), cause, null)))
      expect(both[1]).toEqual(both[0])
      expect(await names()).toHaveLength(22)
    })

    it('enrols none of a list that names an unknown pool', async () => {
      const { ledger } = bench()
      const given = [...some(0, 2), runner('mac-1', { pool: 'mac' })]
      await expect(ledger.enrolAll(given, cause, led('3'))).rejects.toMatchObject({ code: 'E_POOL_UNKNOWN' })
      await expect(ledger.enrol(runner('mac-1', { pool: 'mac' }), cause)).rejects.toThrow(/mac/)
      expect(await names()).toEqual([])
    })

    it('takes a leader whose token is as great as the greatest or greater', async () => {
      const { ledger } = bench()
      for (const [n, token] of ['8', '8', '9', '10', '18446744073709551616'].entries()) {
        expect((await ledger.enrolAll(some(n, 1), cause, led(token))).kind).toBe('enrolled')
      }
      expect(await names()).toHaveLength(5)
    })

    it('writes nothing in the name of a leader whose token is smaller, and says so', async () => {
      const { ledger } = bench()
      await ledger.enrolAll(some(0, 1), cause, led('10'))
      expect(await ledger.enrolAll(some(0, 3), cause, led('9'))).toEqual({ kind: 'deposed' })
      expect(await names()).toHaveLength(1)
      const before = await ledger.pools()
      expect(await ledger.putPools([pool({ name: 'other' })], cause, led('9'))).toBe('deposed')
      expect(await ledger.pools()).toEqual(before)
      expect((await ledger.enrolAll(some(5, 1), cause, led('10'))).kind).toBe('enrolled')
    })

    it('keeps the token of a leader who put pools', async () => {
      const { ledger } = bench()
      expect(await ledger.putPools([pool()], cause, led('20'))).toBe('put')
      expect(await ledger.enrolAll(some(0, 1), cause, led('19'))).toEqual({ kind: 'deposed' })
      expect(await ledger.putPools([pool()], cause, led('20'))).toBe('put')
      expect(await ledger.putPools([], cause, led('21'))).toBe('put')
    })

    it('keeps the tokens of leases apart, and lets a writer without a lease write', async () => {
      const { ledger } = bench()
      await ledger.enrolAll(some(0, 1), cause, led('10', 'here'))
      expect((await ledger.enrolAll(some(1, 1), cause, led('3', 'there'))).kind).toBe('enrolled')
      expect((await ledger.enrolAll(some(2, 1), cause, null)).kind).toBe('enrolled')
      expect(await ledger.putPools([pool()], cause)).toBe('put')
    })

    it('does not keep the token of a write that failed', async () => {
      const { ledger } = bench()
      await expect(ledger.enrolAll([runner('x', { pool: 'x' })], cause, led('9'))).rejects.toThrow()
      expect((await ledger.enrolAll(some(0, 1), cause, led('8'))).kind).toBe('enrolled')
    })

    it.each(['', '-1', '1.5', 'abc', '1e3'])('refuses the token "%s"', async (token) => {
      await expect(bench().ledger.enrolAll(some(0, 1), cause, led(token))).rejects.toMatchObject({
        code: 'E_BUG',
      })
      expect(await names()).toEqual([])
    })

    it('takes all of what each of two leaders writes at the same time, or nothing of the earlier one', async () => {
      const { ledger } = bench()
      for (let round = 0; round < 10; round += 1) {
        const [older, newer] = [String(2 * round), String(2 * round + 1)]
        const [first, second] = [some(100 * round, 10), some(100 * round + 50, 10)]
        const [old, fresh] = await Promise.all([
          ledger.enrolAll(first, cause, led(older)),
          ledger.enrolAll(second, cause, led(newer)),
        ])
        expect(fresh.kind).toBe('enrolled')
        const there = await ledger.runners(0, { names: first.map(({ name }) => name) })
        expect(there.rows).toHaveLength(old.kind === 'deposed' ? 0 : 10)
        expect((await ledger.enrolAll(first, cause, led(older))).kind).toBe('deposed')
      }
    })

    it('knows a runner by the first proof, and by no other', async () => {
      const { ledger } = bench()
      const [row] = rowsOf(await ledger.enrolAll(some(0, 1), cause, null))
      const { id, name } = row as NonNullable<typeof row>
      expect(await ledger.bindIdentity(id, 'first')).toBe('bound')
      expect(await ledger.bindIdentity(id, 'first')).toBe('bound')
      expect(await ledger.bindIdentity(id, 'second')).toBe('other')
      expect(await ledger.findRunner(name)).toMatchObject({ identityHash: 'first' })
    })

    it('does not replace a proof that was known from the start, nor bind one to an unknown runner', async () => {
      const { ledger } = bench()
      const { id } = await ledger.enrol(runner('linux-1', { identityHash: 'known' }), cause)
      expect(await ledger.bindIdentity(id, 'known')).toBe('bound')
      expect(await ledger.bindIdentity(id, 'another')).toBe('other')
      expect(await ledger.bindIdentity(id + 1000, 'any')).toBe('other')
    })

    it('keeps the first pod that was made for a runner, and no other', async () => {
      const { ledger } = bench()
      const { id, name } = await ledger.enrol(runner('linux-1'), cause)
      expect(await ledger.findRunner(name)).toMatchObject({ podUid: null })
      expect(await ledger.bindPod(id, 'uid-1')).toBe('bound')
      expect(await ledger.bindPod(id, 'uid-1')).toBe('bound')
      expect(await ledger.bindPod(id, 'uid-2')).toBe('other')
      expect(await ledger.bindPod(id + 1000, 'uid-1')).toBe('other')
      expect(await ledger.findRunner(name)).toMatchObject({ podUid: 'uid-1' })
    })

    it('binds one of two proofs that come at the same time', async () => {
      const { ledger } = bench()
      const { id } = await ledger.enrol(runner('linux-1'), cause)
      const results = await Promise.all(['a', 'b'].map((proof) => ledger.bindIdentity(id, proof)))
      expect(results.sort()).toEqual(['bound', 'other'])
    })
  })
}
