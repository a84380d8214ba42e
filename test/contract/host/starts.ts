import { describe, expect, it } from 'vitest'
import type { HostBench, HostNature } from './kit.ts'

export function startsContract(bench: HostBench, { showsProgram, hasTemplates }: HostNature): void {
  describe('a start', () => {
    it('is listed at once, and found', async () => {
      const { name, pool } = await bench.started()
      const seen = { name, pool, state: 'running', leavingSince: null, silentSince: null }
      expect(await bench.listed(name)).toMatchObject(seen)
      expect(await bench.find(name)).toMatchObject(seen)
    })

    it('changes nothing under a name that is there already', async () => {
      const start = await bench.running()
      const before = await bench.listed(start.name)
      expect(await bench.startAgain(start)).toEqual({ kind: 'started' })
      const same = (await bench.host().list()).filter(({ name }) => name === start.name)
      expect(same).toEqual([before])
    })

    it('changes nothing under the name of a runner that ended and was not released', async () => {
      const name = await bench.ended()
      const again = { ...bench.under().newStart(), name }
      expect(await bench.startAgain(again)).toEqual({ kind: 'started' })
      expect((await bench.listed(name))?.state).toBe('exited')
    })

    it('is not there before', async () => {
      const { name } = bench.under().newStart()
      expect(await bench.find(name)).toBeNull()
      expect(await bench.listed(name)).toBeUndefined()
      expect(await bench.host().ending(name)).toBeNull()
    })

    it.runIf(showsProgram)('has not begun its program, which proves that no job has run', async () => {
      const { name } = await bench.running()
      expect((await bench.listed(name))?.program).toBe('waiting')
      await bench.under().begin?.(name)
      expect((await bench.find(name))?.program).toBe('started')
    })

    it.runIf(!showsProgram)('says nothing about its program where asking and running is one', async () => {
      const { name } = await bench.running()
      expect((await bench.listed(name))?.program).toBe('unknown')
    })

    it('is made from the present template of its pool', async () => {
      const { name, pool } = await bench.started()
      expect((await bench.listed(name))?.template).toBe(bench.host().template(pool))
    })

    it.runIf(hasTemplates)('keeps what it was made from when that changes', async () => {
      const { name, pool } = await bench.started()
      const before = bench.host().template(pool)
      await bench.under().changeTemplate?.(pool)
      await bench.under().until('the template is another', async () => bench.host().template(pool) !== before)
      expect((await bench.listed(name))?.template).toBe(before)
      const later = { ...bench.under().newStart(), pool }
      await bench.startAgain(later)
      expect((await bench.listed(later.name))?.template).toBe(bench.host().template(pool))
    })
  })

  describe('a host without room', () => {
    it('refuses a start, of which nothing exists then', async (test) => {
      if (bench.under().fill === undefined) return test.skip('this host knows no bound')
      await bench.under().fill?.()
      const start = bench.under().newStart()
      expect(await bench.startAgain(start)).toMatchObject({
        kind: 'refused',
        problem: { kind: 'QuotaExceeded' },
      })
      expect(await bench.find(start.name)).toBeNull()
      expect(await bench.listed(start.name)).toBeUndefined()
      expect(await bench.host().headroom(start.pool)).toMatchObject({
        more: 0,
        problem: { kind: 'QuotaExceeded' },
      })
    })

    it('does not refuse one that is there already', async (test) => {
      if (bench.under().fill === undefined) return test.skip('this host knows no bound')
      const start = await bench.started()
      await bench.under().fill?.()
      expect(await bench.startAgain(start)).toEqual({ kind: 'started' })
    })
  })
}
