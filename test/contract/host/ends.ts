import { describe, expect, it } from 'vitest'
import { isError } from '../../../src/domain/errors/index.ts'
import type { HostBench } from './kit.ts'

export function endsContract(bench: HostBench): void {
  describe('a runner that ended', () => {
    it('stays listed with its ending, in which nobody asked for it', async () => {
      const name = await bench.ended(7)
      expect(await bench.listed(name)).toMatchObject({ state: 'exited' })
      expect(await bench.find(name)).toMatchObject({ state: 'exited' })
      expect(await bench.host().ending(name)).toMatchObject({ exitCode: 7, stopRequestedBy: null })
    })

    it('says since when it is over, which neither asking again nor a restart changes', async () => {
      const name = await bench.ended(7)
      const { exitedAt = null, startedAt = null } = (await bench.find(name)) ?? {}
      expect(exitedAt).toBeGreaterThanOrEqual((startedAt ?? 0) - 1_000) // clusters report whole seconds
      await bench.under().restart?.()
      expect((await bench.listed(name))?.exitedAt).toBe(exitedAt)
    })

    it('has a time for its evidence that ends', async () => {
      const { pool } = bench.under().newStart()
      expect(bench.host().evidenceDeadlineMs(pool)).toBeGreaterThan(0)
      expect(bench.host().evidenceDeadlineMs('no-such-pool')).toBeLessThanOrEqual(3_600_000)
    })

    it('is nowhere any more when it was released', async () => {
      const name = await bench.ended()
      await bench.host().release(name)
      await bench.under().until(`${name} is gone`, async () => (await bench.listed(name)) === undefined)
      expect(await bench.find(name)).toBeNull()
      expect(await bench.host().ending(name)).toBeNull()
    })

    it('may be released twice, and also where it never was', async () => {
      const name = await bench.ended()
      await bench.host().release(name)
      await bench.host().release(name)
      await bench.host().release(bench.under().newStart().name)
    })

    it('stays listed for another process of Holdfast', async (test) => {
      if (bench.under().restart === undefined) return test.skip('this host cannot be opened twice')
      const { id } = bench.host()
      const lives = await bench.running()
      const name = await bench.ended(3)
      await bench.under().restart?.()
      expect(bench.host().id).toBe(id)
      expect(await bench.listed(name)).toMatchObject({ state: 'exited' })
      expect(await bench.listed(lives.name)).toMatchObject({ state: 'running' })
      expect(await bench.host().ending(name)).toMatchObject({ exitCode: 3 })
    })

    it('stays listed until its release where it was removed by force', async (test) => {
      if (bench.under().tearOut === undefined) return test.skip('nobody can tear out a runner of this host')
      const { name } = await bench.running()
      await bench.under().tearOut?.(name)
      await bench.exited(name)
      expect(await bench.host().ending(name)).not.toBeNull()
      await bench.host().release(name)
      expect(await bench.listed(name)).toBeUndefined()
    })
  })

  describe('a runner that lives', () => {
    it('has no ending, and is not released', async () => {
      const { name } = await bench.running()
      expect(await bench.host().ending(name)).toBeNull()
      expect((await bench.listed(name))?.exitedAt).toBeNull()
      const refused = await bench
        .host()
        .release(name)
        .then(
          () => null,
          (error: unknown) => error,
        )
      expect(isError(refused, 'E_RUNNER_ALIVE') || isError(refused, 'E_RUNNER_NOT_ENDED')).toBe(true)
      expect(await bench.find(name)).toMatchObject({ state: 'running' })
    })
  })
}
