import { describe, expect, it } from 'vitest'
import type { HostBench } from './kit.ts'

export function changesContract(bench: HostBench): void {
  describe('a change', () => {
    it('is told by name to whoever listens, and not to whoever stopped', async () => {
      const { name } = await bench.running()
      const heard = new Set<string>()
      const unheard = new Set<string>()
      bench.host().onChange((changed) => heard.add(changed))
      bench.host().onChange((changed) => unheard.add(changed))()
      await bench.under().end(name, 0)
      await bench.under().until('somebody hears of it', async () => heard.has(name))
      expect(unheard).toEqual(new Set())
    })
  })
}
