import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newestText, renderTail } from './index.ts'

const bounds = { linesMax: 5, bytesMax: 200 }
const tailOf = (text: string | Uint8Array, isCut = false, over: Partial<typeof bounds> = {}) =>
  renderTail(Buffer.from(text as string), isCut, { ...bounds, ...over })
const bytesOf = (text: string) => Buffer.byteLength(text)

describe('the tail of an output', () => {
  it('is all of a short one', () => {
    expect(tailOf('one\ntwo')).toBe('one\ntwo')
    expect(tailOf('')).toBe('')
  })

  it('is the newest lines of one with many', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n}\n`)
    expect(tailOf(lines.join(''))).toBe(lines.slice(-5).join(''))
    expect(tailOf(`${lines.join('')}unfinished`)).toBe(`${lines.slice(-4).join('')}unfinished`)
  })

  it('begins with a whole line where the bytes are what bounds it', () => {
    const lines = Array.from({ length: 5 }, (_, n) => `${n}${'x'.repeat(48)}\n`)
    expect(tailOf(lines.join(''))).toBe(lines.slice(1).join(''))
  })

  it('is the newest bytes of one single line, cut between characters', () => {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const tail = tailOf(`${lead}${'🦀é漢'.repeat(1_000)}`)
      expect(bytesOf(tail)).toBeLessThanOrEqual(200)
      expect(bytesOf(tail)).toBeGreaterThan(196)
      expect(tail).not.toContain('\uFFFD')
      expect(tail.endsWith('🦀é漢')).toBe(true)
    }
  })

  it('is empty with a bound of zero', () => {
    expect(tailOf('one\n', false, { linesMax: 0 })).toBe('')
    expect(tailOf('one\n', true, { bytesMax: 0 })).toBe('')
  })

  it('masks a secret that begins before the cut', () => {
    const tail = tailOf(`password=${'k'.repeat(300)}${' '.repeat(150)}end`)
    expect(tail).not.toContain('kk')
    expect(tail.endsWith('end')).toBe(true)
  })

  it('leaves out the rest of a word whose beginning is not given: it may be half of a secret', () => {
    expect(tailOf('kkkkkkkk and so on', true)).toBe('and so on')
    expect(tailOf('kkkkkkkk and so on', false)).toBe('kkkkkkkk and so on')
  })

  it('marks the cut where that word is all there is', () => {
    const tail = tailOf('x'.repeat(5_000), true)
    expect(tail).toMatch(/^…x+$/)
    expect(bytesOf(tail)).toBe(200)
  })

  it('keeps a mark of the byte order as it is', () => {
    expect(tailOf('\uFEFFone\n')).toBe('\uFEFFone\n')
  })

  it('is bounded, storable and the same text for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.boolean(), (bytes, isCut) => {
        const tail = renderTail(bytes, isCut, bounds)
        expect(bytesOf(tail)).toBeLessThanOrEqual(bounds.bytesMax)
        expect(tail.split('\n').length).toBeLessThanOrEqual(bounds.linesMax + 1)
        expect(tail).not.toContain('\0')
        expect(tail.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('text that is cut once more', () => {
  it('keeps its newest bytes, and whole lines where they are near', () => {
    expect(newestText('one\ntwo\nthree\n', 100)).toBe('one\ntwo\nthree\n')
    expect(newestText(`${'a'.repeat(30)}\n${'b'.repeat(30)}\n${'c'.repeat(30)}\n`, 64)).toBe(
      `${'b'.repeat(30)}\n${'c'.repeat(30)}\n`,
    )
    expect(newestText('🦀'.repeat(10), 9)).toBe('🦀🦀')
  })
})
