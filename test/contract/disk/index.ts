import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reserveBytes } from '../../../src/domain/disk/index.ts'
import type { Disk } from '../../../src/ports/disk.ts'

const bytesPerMiB = 1024 * 1024
/** File systems keep books of their own. */
const aboutBytes = 2 * bytesPerMiB

/** A disk of 128 MiB under test, and what others do to it. */
export interface MadeDisk {
  readonly disk: Disk
  /** Others write until no more than this is free. */
  fill(freeBytes: number): Promise<void>
  /** Removes what others wrote. */
  empty(): Promise<void>
  close(): PromiseLike<void>
}

/** The contract of the disk port; `whyNot` names what is missing here where it cannot be tried. */
export function diskContract(
  name: string,
  make: () => Promise<MadeDisk>,
  whyNot: string | null = null,
): void {
  if (whyNot !== null) console.warn(`NOT TRIED, the contract of disks on ${name}: ${whyNot}`)
  describe.skipIf(whyNot !== null)(`the contract of disks: ${name}`, () => {
    let made: MadeDisk
    beforeEach(async () => {
      made = await make()
    })
    afterEach(() => made?.close())
    const free = async () => (await made.disk.space()).freeBytes

    it('counts what others write as not free', async () => {
      const { totalBytes, freeBytes } = await made.disk.space()
      expect(totalBytes).toBe(128 * bytesPerMiB)
      expect(freeBytes).toBeLessThanOrEqual(totalBytes)
      await made.fill(8 * bytesPerMiB)
      expect(await free()).toBeLessThanOrEqual(8 * bytesPerMiB)
      await made.empty()
      expect(await free()).toBe(freeBytes)
    })

    it('keeps a reserve that takes room, once, and gives it back', async () => {
      const before = await free()
      expect(await made.disk.keepReserve()).toBe(true)
      expect(Math.abs(before - (await free()) - reserveBytes)).toBeLessThan(aboutBytes)
      expect(await made.disk.keepReserve()).toBe(true)
      expect(Math.abs(before - (await free()) - reserveBytes)).toBeLessThan(aboutBytes)
      expect(await made.disk.space()).toMatchObject({ hasReserve: true })
      await made.disk.releaseReserve()
      await made.disk.releaseReserve()
      expect(Math.abs(before - (await free()))).toBeLessThan(aboutBytes)
      expect(await made.disk.space()).toMatchObject({ hasReserve: false })
    })

    it('keeps none where there is no room, and takes nothing then', async () => {
      await made.fill(8 * bytesPerMiB)
      const before = await free()
      expect(await made.disk.keepReserve()).toBe(false)
      expect(Math.abs(before - (await free()))).toBeLessThan(aboutBytes)
    })
  })
}
