import { describe, expect, it } from 'vitest'
import { evaluate, interpolate, isToRun, Unsupported } from './expressions.ts'

const contexts = {
  matrix: { os: 'linux', n: 1, 'with-hyphen': 'h' },
  github: { ref: 'refs/heads/main', event: { number: 7 } },
  env: {},
}
const value = (source: string) => `$\{{ ${source} }}`

describe('an expression', () => {
  it.each([
    ['matrix.os', 'linux'],
    ['matrix.n', '1'],
    ['github.event.number', '7'],
    ["matrix['with-hyphen']", 'h'],
    ["'it''s'", "it's"],
    ['env.NOTHING', ''],
    ['github.event', '{"number":7}'],
  ])('%s is looked up', (source, expected) => {
    expect(interpolate(`<${value(source)}>`, contexts)).toBe(`<${expected}>`)
  })

  it.each(["format('{0}', matrix.os)", 'matrix.os == 1', 'steps.a.outputs.b', 'a b', 'matrix.*.x', ''])(
    '%s is refused, by name',
    (source) => {
      expect(() => evaluate(source, contexts)).toThrow(Unsupported)
    },
  )

  it('is not looked up where it only looks like one of JavaScript', () => {
    expect(evaluate('matrix.constructor', contexts)).toBeNull()
    expect(() => evaluate('__proto__.x', contexts)).toThrow(Unsupported)
  })
})

describe('a condition', () => {
  const well = { isFailed: false, isCancelled: false }
  const failed = { isFailed: true, isCancelled: false }

  it('runs a step after success only, unless it says otherwise', () => {
    expect([isToRun(undefined, well), isToRun(undefined, failed)]).toEqual([true, false])
    expect([isToRun(value('always()'), well), isToRun('always()', failed)]).toEqual([true, true])
    expect([isToRun('failure()', well), isToRun('failure()', failed)]).toEqual([false, true])
  })

  it('is refused where it is anything else', () => {
    expect(() => isToRun("github.ref == 'x'", well)).toThrow(/if: github.ref == 'x'/)
  })
})
