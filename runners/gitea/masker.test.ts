import { describe, expect, it } from 'vitest'
import { createMasker } from './masker.ts'

describe('a line of output', () => {
  it('shows no secret, also where one is part of another', () => {
    const { mask } = createMasker(['abc', 'abcdef'])
    expect(mask('x abcdef y abc z')).toBe('x *** y *** z')
  })

  it('shows no line of a secret that has several', () => {
    const { mask } = createMasker(['-----BEGIN-----\nMIIE\n-----END-----\n'])
    expect(mask('key: MIIE')).toBe('key: ***')
  })

  it('is masked for a value from its add-mask command on, and that command too', () => {
    const { mask } = createMasker([])
    expect(mask('the word')).toBe('the word')
    expect(mask('::add-mask::word')).toBe('::add-mask::***')
    expect(mask('the word')).toBe('the ***')
  })

  it('is left alone by an empty secret', () => {
    expect(createMasker(['', '\n']).mask('plain')).toBe('plain')
  })
})
