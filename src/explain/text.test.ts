import { describe, expect, it } from 'vitest'
import { growth, linearAtMost } from '../../test/support/growth.ts'
import { bytesText, harmless, oneLine } from './text.ts'

const esc = '\u001b'

describe('texts written by others', () => {
  it.each([
    ['colours', `${esc}[1;31mred${esc}[0m`, 'red'],
    ['cursor moves', `a${esc}[2J${esc}[Hb`, 'ab'],
    ['a title', `a${esc}]0;evil\u0007b`, 'ab'],
    ['a link', `${esc}]8;;http://evil${esc}\\text${esc}]8;;${esc}\\`, 'text'],
    ['a device string', `a${esc}P+q544e${esc}\\b`, 'ab'],
    ['eight-bit controls', 'a\u009b31mb\u0085c', 'abc'],
    ['text that runs backwards', 'a\u202eb\u2066c', 'abc'],
    ['a bell, a backspace, a carriage return', 'a\u0007\u0008\rb', 'ab'],
    ['half a sequence', `a${esc}[`, 'a'],
  ])('come without %s', (_, given, expected) => {
    expect(harmless(given)).toBe(expected)
  })

  it('keep their lines and tabs', () => {
    expect(harmless('one\r\n\ttwo\n')).toBe('one\n\ttwo\n')
  })

  it('stand on one line without secrets, bounded', () => {
    expect(oneLine('a\n  b\tc ')).toBe('a b c')
    expect(oneLine('token=abcdefghijklmnop')).not.toContain('abcdefghijklmnop')
    expect(oneLine('x'.repeat(10_000)).length).toBeLessThan(700)
  })

  it('are cleaned in time that grows with their length alone', () => {
    for (const piece of [`${esc}]`, `${esc}[`]) {
      expect(harmless(piece.repeat(1_000))).toBe('')
      expect(growth(piece, 2 ** 19, harmless)).toBeLessThan(linearAtMost)
    }
  })
})

describe('amounts', () => {
  it.each([
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1 KiB'],
    [1.5 * 2 ** 30, '1.5 GiB'],
    [2 ** 31, '2 GiB'],
    [2 ** 51, '2048 TiB'],
  ])('%d is %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })
})
