import { describe, expect, it } from 'vitest'
import { freeAgainBytes, fullBelowBytes, judgeDisk } from './index.ts'

const GIB = 1024 ** 3
const onLarge = (freeBytes: number, hasReserve = true) => ({ freeBytes, totalBytes: 500 * GIB, hasReserve })

describe('a disk', () => {
  it('is full where the next segment of the log might not fit, and not before', () => {
    expect(judgeDisk(onLarge(fullBelowBytes - 1))).toBe('full')
    expect(judgeDisk(onLarge(fullBelowBytes))).toBe('low')
  })

  it('that gave its reserve back is full until there is room for that too, and no longer', () => {
    expect(judgeDisk(onLarge(freeAgainBytes - 1, false))).toBe('full')
    expect(judgeDisk(onLarge(freeAgainBytes, false))).toBe('low')
  })

  it('is low below a tenth of it, and below 1 GiB of a large one', () => {
    expect(judgeDisk(onLarge(GIB - 1))).toBe('low')
    expect(judgeDisk(onLarge(GIB))).toBe('ok')
    expect(judgeDisk({ freeBytes: 0.19 * GIB, totalBytes: 2 * GIB, hasReserve: true })).toBe('low')
    expect(judgeDisk({ freeBytes: 0.21 * GIB, totalBytes: 2 * GIB, hasReserve: true })).toBe('ok')
  })
})
