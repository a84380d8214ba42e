import { describe, expect, it } from 'vitest'
import type { HostBench } from './kit.ts'

export function changesContract(bench: HostBench): void {
  describe('a change', () => {
    it('is reported by name to a listener, and not to one that was removed', async () => {
      const { name } = await bench.running()
      const seen = new Set<string>()
      const seenByRemoved = new Set<string>()
      bench.host().onChange((changed) => seen.add(changed))
      bench.host().onChange((changed) => seenByRemoved.add(changed))()
      await bench.under().end(name, 0)
      await bench.under().until('the listener is called', async () => seen.has(name))
      expect(seenByRemoved).toEqual(new Set())
    })
  })
}
