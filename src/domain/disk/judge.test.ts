import { describe, expect, it } from 'vitest'
import { freeAgainBytes, fullBelowBytes, judgeDisk } from './index.ts'

const gib = 1024 ** 3
const onLarge = (freeBytes: number, hasReserve = true) => ({ freeBytes, totalBytes: 500 * gib, hasReserve })

describe('a disk', () => {
  it('is full where the next WAL segment might not fit, and not before', () => {
    expect(judgeDisk(onLarge(fullBelowBytes - 1))).toBe('full')
    expect(judgeDisk(onLarge(fullBelowBytes))).toBe('low')
  })

  it('that released its reserve is full until there is space for that too, and no longer', () => {
    expect(judgeDisk(onLarge(freeAgainBytes - 1, false))).toBe('full')
    expect(judgeDisk(onLarge(freeAgainBytes, false))).toBe('low')
  })

  it('is low below a tenth of it, and below 1 GiB of a large one', () => {
    expect(judgeDisk(onLarge(gib - 1))).toBe('low')
    expect(judgeDisk(onLarge(gib))).toBe('ok')
    expect(judgeDisk({ freeBytes: 0.19 * gib, totalBytes: 2 * gib, hasReserve: true })).toBe('low')
    expect(judgeDisk({ freeBytes: 0.21 * gib, totalBytes: 2 * gib, hasReserve: true })).toBe('ok')
  })
})
