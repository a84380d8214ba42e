import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, cover, PatternProblem, patternCharsMax, stepsMax } from './index.ts'

const covered = (source: string, text: string): string[] =>
  cover(compilePattern(source), text).ranges.map(([from, to]) => text.slice(from, to))

describe('a pattern', () => {
  it.each([
    ['ACME-\\d{4}', 'x ACME-1234 y ACME-12', ['ACME-1234']],
    ['(?i)acme-[a-f0-9]+', 'aCmE-0aF!', ['aCmE-0aF']],
    ['k(?:ey|ing)=.+', 'key=a b\nking=c', ['key=a b', 'king=c']],
    ['^id: \\S+$', 'id: a\nid: b c\nxid: d\nid: e', ['id: a', 'id: e']],
    ['\\bpin\\b \\d{2,3}', 'pin 12 spin 34 pin 5678', ['pin 12', 'pin 567']],
    ['a\\Bb', 'ab a b', ['ab']],
    ['[^\\s,]{3}', 'ab abc,', ['abc']],
    ['[\\]\\-a]+', 'x]-a', [']-a']],
    ['[a-]+', '-a', ['-a']],
    ['\\x41\\u0042\\t', 'AB\t', ['AB\t']],
    ['ü+[ä-ö]', 'xüüö', ['üüö']],
    ['😀{1}', 'a😀', ['😀']],
    ['(a|ab)(c|bcd)', 'abcd', ['abcd']],
    ['a+?', 'aaa', ['aaa']],
  ] as const)('%s covers in %j: %j', (source, text, found) => {
    expect(covered(source, text)).toEqual(found)
  })

  it.each([
    ['a(?=b)', 'a look around'],
    ['(?<!a)b', 'a look around'],
    ['(a)\\1', 'a back-reference'],
    ['\\k<x>', 'a back-reference'],
    ['(?<x>a)', 'neither'],
    ['a(b', '"(" without'],
    ['ab)', '")" without'],
    ['[ab', '"[" without'],
    ['[]', 'a class without'],
    ['[b-a]', 'comes before its begin'],
    ['[\\d-x]', 'begins or ends with many'],
    ['[😀]', 'beyond U+FFFF'],
    ['*a', 'nothing before it'],
    ['a**', 'nothing before it'],
    ['a{2', 'not escaped'],
    ['a{3,2}', 'less than its least'],
    ['^*a', 'has no characters'],
    ['a\\', 'at the end'],
    ['\\q', 'not known'],
    ['a*', 'no characters at all'],
    ['', 'no characters at all'],
    ['\\b', 'no characters at all'],
    ['(a{100}){100}', `${stepsMax} steps`],
    ['((((a{9999}){9999}){9999}){9999}){9999}', `${stepsMax} steps`],
    ['a'.repeat(patternCharsMax + 1), `${patternCharsMax} characters`],
  ])('%s is refused with the reason', (source, reason) => {
    expect(() => compilePattern(source)).toThrow(PatternProblem)
    expect(() => compilePattern(source)).toThrow(reason)
  })

  it('covers what some match covers, and nothing else', () => {
    const property = fc.property(
      sources,
      fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 8 }),
      (source, text) => {
        const program = compiled(source)
        fc.pre(program !== null)
        const isCovered = Array.from(text, () => false)
        for (const [from, to] of cover(program, text).ranges) isCovered.fill(true, from, to)
        expect(isCovered).toEqual(byTrying(source, text))
      },
    )
    fc.assert(property, { numRuns: 2_000 })
  })

  it.each([
    '(?:a+)+b',
    '(?:a|a)+b',
    '(?:a|aa)+b',
    '(?:a*)*b',
    'a*a*a*a*a*b',
    '(?:[a-z]{1,20}){1,20}0',
    '(?:.*a){12}b',
  ])('%s does work that grows with the text, where backtracking would never end', (source) => {
    const program = compilePattern(source)
    const worked = (length: number) => cover(program, 'a'.repeat(length)).worked
    expect(worked(4_000) / worked(1_000)).toBeLessThan(4.5)
    expect(worked(4_000)).toBeLessThanOrEqual(4_001 * program.steps.length)
  })
})

function compiled(source: string) {
  try {
    return compilePattern(source)
  } catch (error) {
    if (error instanceof PatternProblem) return null
    throw error
  }
}

/** The language's own engine on every piece of the text. */
function byTrying(source: string, text: string): boolean[] {
  const whole = new RegExp(`^(?:${source})$`)
  const isCovered = Array.from(text, () => false)
  for (let from = 0; from < text.length; from += 1) {
    for (let to = from + 1; to <= text.length; to += 1) {
      if (whole.test(text.slice(from, to))) isCovered.fill(true, from, to)
    }
  }
  return isCovered
}

const { sources } = fc.letrec<{ sources: string; atom: string }>((tie) => ({
  sources: fc.oneof(
    { maxDepth: 4 },
    tie('atom'),
    fc.tuple(tie('sources'), tie('sources')).map(([a, b]) => a + b),
    fc.tuple(tie('sources'), tie('sources')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('sources'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{2,}', '+?', '??'))
      .map(([a, count]) => `(${a})${count}`),
  ),
  atom: fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '[a-c]'),
}))
