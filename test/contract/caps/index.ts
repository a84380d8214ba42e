import { describe, expect, it } from 'vitest'
import type { CapsReading, RemedyCluster } from '../../../src/ports/remedy.ts'

interface Opened {
  readonly cluster: Pick<RemedyCluster, 'readCaps' | 'patchCaps'>
  readonly place: { readonly namespace: string; readonly name: string }
  /** Somebody else writes this maximum. */
  write(maxRunners: number): void
  /** The next patch takes effect, and its answer is lost. */
  loseNextAnswer(): void
}

const never = new AbortController().signal
const frozen = { minRunners: 0, maxRunners: 0, mark: 'apply-1' }

/** The contract of a cluster that has caps: the real one and its twin keep it. */
export function capsContract(open: () => Promise<Opened>): void {
  describe('the caps of a set', () => {
    const opened = async () => {
      const { place, ...rest } = await open()
      const read = async () => (await rest.cluster.readCaps(place, never)) as CapsReading
      return { ...rest, place, read, first: await read() }
    }

    it('are written in exactly the state that was read, with the mark, and taken back', async () => {
      const { cluster, place, read, first } = await opened()
      expect(first).toMatchObject({ minRunners: 2, maxRunners: 10, mark: null })
      expect(await cluster.patchCaps({ ...place, ...first }, frozen, never)).toBe('patched')
      expect(await read()).toMatchObject(frozen)
      const back = { minRunners: null, maxRunners: 20, mark: null }
      expect(await cluster.patchCaps({ ...place, ...(await read()) }, back, never)).toBe('patched')
      expect(await read()).toMatchObject(back)
    })

    it('are not written where somebody else wrote the set, or made it again', async () => {
      const { cluster, place, read, first, write } = await opened()
      write(7)
      expect(await cluster.patchCaps({ ...place, ...first }, frozen, never)).toBe('conflict')
      const other = { ...place, ...(await read()), uid: 'another' }
      expect(await cluster.patchCaps(other, frozen, never)).toBe('gone')
      expect(await read()).toMatchObject({ maxRunners: 7, mark: null })
    })

    it('may have been written where the answer is lost', async () => {
      const { cluster, place, read, first, loseNextAnswer } = await opened()
      loseNextAnswer()
      expect(await cluster.patchCaps({ ...place, ...first }, frozen, never)).toBe('unknown')
      expect(await read()).toMatchObject(frozen)
    })
  })
}
