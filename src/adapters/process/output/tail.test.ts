import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRing, renderTail, tailBytesMax, tailLinesMax, tailRingBytes } from './index.ts'

function tailOf(...chunks: (string | Uint8Array)[]): string {
  const ring = createRing(tailRingBytes)
  for (const chunk of chunks) ring.write(Buffer.from(chunk as string))
  return renderTail(ring)
}

describe('the ring', () => {
  it('holds exactly the newest bytes, whatever the sizes of the chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }), (chunks) => {
        const ring = createRing(17)
        for (const chunk of chunks) ring.write(chunk)
        const all = Buffer.concat(chunks)
        const { bytes, cut } = ring.read()
        expect(bytes).toEqual(all.subarray(Math.max(0, all.length - 17)))
        expect(cut).toBe(all.length > 17)
        expect(ring.written()).toBe(all.length)
      }),
    )
  })
})

describe('the tail', () => {
  it('is the whole output where that is short', () => {
    expect(tailOf('one\n', 'two')).toBe('one\ntwo')
  })

  it('keeps the newest lines and drops the oldest', () => {
    const lines = Array.from({ length: tailLinesMax + 50 }, (_, n) => `line ${n}\n`)
    const kept = tailOf(...lines)
      .split('\n')
      .slice(0, -1)
    expect(kept).toHaveLength(tailLinesMax)
    expect(kept[0]).toBe('line 50')
    expect(kept.at(-1)).toBe(`line ${tailLinesMax + 49}`)
  })

  it('keeps an unterminated last line', () => {
    const lines = Array.from({ length: tailLinesMax }, (_, n) => `line ${n}\n`)
    expect(tailOf(...lines, 'the last').split('\n')).toHaveLength(tailLinesMax)
  })

  it('cuts a long line at its old end, never within a character', () => {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const tail = tailOf(lead, '🦀é漢'.repeat(20_000))
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(tailBytesMax)
      expect(Buffer.byteLength(tail)).toBeGreaterThan(tailBytesMax - 4)
      expect(tail).not.toContain('\uFFFD')
      expect(tail.endsWith('🦀é漢')).toBe(true)
    }
  })

  it('leaves out the first bytes of an incomplete character', () => {
    const crab = Buffer.from('🦀')
    for (const bytes of [1, 2, 3]) expect(tailOf('ok', crab.subarray(0, bytes))).toBe('ok')
    expect(tailOf('ok', crab)).toBe('ok🦀')
  })

  it('stays bounded and storable for bytes that are no text', () => {
    const noise = Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 256))
    const tail = tailOf(noise)
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(tailBytesMax)
    expect(tail).not.toContain('\0')
  })

  it('masks a secret', () => {
    expect(tailOf('token ghp_0123456789abcdefghij0123456789abcdef\n')).toBe('token [redacted]\n')
  })

  it('masks a secret whose beginning lies before the cut', () => {
    const jit = `eyJ${'k'.repeat(6_000)}`
    const tail = tailOf(`${jit}${'-'.repeat(tailBytesMax - 3_000)}`)
    expect(tail).not.toContain('kkkk')
  })
})
