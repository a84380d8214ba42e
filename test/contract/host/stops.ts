import { describe, expect, it } from 'vitest'
import type { HostBench, HostNature } from './kit.ts'

export function stopsContract(bench: HostBench, { showsProgram }: HostNature): void {
  describe('a stop', () => {
    it('ends the runner, and its reason is part of the ending', async () => {
      const { name } = await bench.running()
      expect(await bench.host().stop(name, bench.order({ reason: 'not needed' }))).toBe('asked')
      await bench.exited(name)
      expect(await bench.host().ending(name)).toMatchObject({ stopRequestedBy: 'not needed' })
    })

    it('keeps the reason of the first that asked', async () => {
      const { name } = await bench.running()
      await bench.host().stop(name, bench.order({ reason: 'first' }))
      await bench.host().stop(name, bench.order({ reason: 'second' }))
      await bench.exited(name)
      expect((await bench.host().ending(name))?.stopRequestedBy).toBe('first')
    })

    it('is harmless for one that ended, and changes nothing about its ending', async () => {
      const name = await bench.ended()
      const before = await bench.host().ending(name)
      expect(await bench.host().stop(name, bench.order())).toBe('asked')
      expect(await bench.host().ending(name)).toEqual(before)
    })

    it('is harmless for one that was never there', async () => {
      expect(await bench.host().stop(bench.under().newStart().name, bench.order())).toBe('asked')
    })

    it.runIf(showsProgram)(
      'is asked where the program has not begun, also by an order for idle ones',
      async () => {
        const { name } = await bench.running()
        expect(await bench.host().stop(name, bench.order({ evenIfStarted: false }))).toBe('asked')
        await bench.exited(name)
      },
    )

    it.runIf(showsProgram)(
      'is refused where the program has begun, and the runner lives on (I4)',
      async () => {
        const { name } = await bench.running()
        await bench.under().begin?.(name)
        expect(await bench.host().stop(name, bench.order({ evenIfStarted: false }))).toBe('refused')
        expect(await bench.find(name)).toMatchObject({ state: 'running', leavingSince: null })
      },
    )

    it.runIf(!showsProgram)(
      'is refused by an order for waiting runners, where nobody knows whether it waits',
      async () => {
        const { name } = await bench.running()
        const order = bench.order({ evenIfStarted: false, onlyIfWaiting: true })
        expect(await bench.host().stop(name, order)).toBe('refused')
        expect(await bench.find(name)).toMatchObject({ state: 'running', leavingSince: null })
      },
    )

    it.runIf(showsProgram)('ends a program that has begun where the order covers that', async () => {
      const { name } = await bench.running()
      await bench.under().begin?.(name)
      expect(await bench.host().stop(name, bench.order({ evenIfStarted: true }))).toBe('asked')
      await bench.exited(name)
    })
  })
}
