import { describe, expect, it } from 'vitest'
import { createRedactor, patternProblems, patternsMax, redacted } from './index.ts'

// Joined at run time, so that no scanner takes it for a real secret.
const jit = `eyJ${'LnJ1bm5lciI6'.repeat(6)}${'MTIzNDU2Nzg5MGFi'.repeat(30)}==`

describe('a redactor', () => {
  it("hides what the user's patterns match, in addition to the built-in ones", () => {
    const redactor = createRedactor({ patterns: ['ACME-\\d{4}', '(?i)badge [a-z]+'] })
    const text = `ACME-1234 and Badge blue and ghp_${'a1B2c3D4e5'.repeat(4)}`
    expect(redactor.text(text)).toBe(`${redacted} and ${redacted} and ${redacted}`)
    expect(redactor.text('ACME-12')).toBe('ACME-12')
  })

  it('hides them in values too, also in the names of fields', () => {
    const { value } = createRedactor({ patterns: ['ACME-\\d{4}'] })
    expect(value({ list: ['ACME-1234'], 'ACME-9999': 1 })).toEqual({ list: [redacted], [redacted]: 1 })
  })

  it('shares no values with another redactor', () => {
    createRedactor({ patterns: ['ACME'] })
    expect(createRedactor({}).text('ACME')).toBe('ACME')
  })

  it('hides known values, as they are, in a URL and in JSON', () => {
    const { text } = createRedactor({ values: ['p"ss/w rd'] })
    expect(text('x p"ss/w rd y')).toBe(`x ${redacted} y`)
    expect(text('?x=p%22ss%2Fw%20rd&')).toBe(`?x=${redacted}&`)
    expect(text(JSON.stringify({ a: 'p"ss/w rd' }))).toBe(`{"a":"${redacted}"}`)
  })

  it('hides a known value in hexadecimal digits and in base64, whatever stands before it', () => {
    const secret = 'correct-horse-battery-staple'
    const { text } = createRedactor({ values: [secret] })
    for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
      const coded = Buffer.from(`${before}${secret} and more`).toString('base64')
      expect(Buffer.from(text(coded).split(redacted).join(''), 'base64').toString()).not.toMatch(/orse-batt/)
      expect(text(coded)).toContain(redacted)
    }
    expect(text(Buffer.from(secret).toString('hex'))).toBe(redacted)
  })

  it('hides what it learns later, and is not filled up by learning the same again', () => {
    const redactor = createRedactor({})
    const secret = 'made-after-the-start'
    expect(redactor.text(secret)).toBe(secret)
    for (let read = 0; read < 20_000; read += 1) redactor.learn([secret])
    redactor.learn(['another-one-later'])
    expect(redactor.text(`${secret} another-one-later`)).toBe(`${redacted} ${redacted}`)
  })

  it('hides pieces of a known value that is wrapped into lines or cut at its beginning', () => {
    const { text } = createRedactor({ values: [jit] })
    const broken = jit.slice(10).replaceAll(/.{64}/g, '$&\n')
    const shown = text(`before\n${broken}\nafter`)
    expect(shown).toContain('before\n')
    expect(shown).toContain('\nafter')
    for (let at = 0; at + 24 <= broken.length; at += 1) {
      const piece = broken.slice(at, at + 24)
      if (!piece.includes('\n')) expect(shown).not.toContain(piece)
    }
  })

  it('does not take a value for a secret that is shorter than a word', () => {
    expect(createRedactor({ values: ['', ' ', 'true', 'runner'] }).text('the runner is true')).toBe(
      'the runner is true',
    )
  })
})

describe("the user's patterns", () => {
  it('have no problem where they can be used', () => {
    expect(patternProblems(['a+', '[A-Z]{3}-\\d+'])).toEqual([])
  })

  it('are refused one by one, with the place', () => {
    expect(patternProblems(['a+', 'b(?=c)', 'x['])).toEqual([
      { index: 1, problem: expect.stringMatching(/look around.*at character 2/) },
      { index: 2, problem: expect.stringMatching(/"\[" without.*at character 2/) },
    ])
  })

  it('are refused where they are too many, or too much work together', () => {
    expect(patternProblems(Array.from({ length: patternsMax + 1 }, () => 'ab'))).toEqual([
      { index: patternsMax, problem: expect.stringContaining(`${patternsMax} patterns`) },
    ])
    expect(patternProblems(['a{400}', 'b{400}', 'c{400}'])).toEqual([
      { index: 2, problem: expect.stringMatching(/\d+ steps of all patterns together/) },
    ])
  })
})
