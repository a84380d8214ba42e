import { readClass, readEscape } from './escapes.ts'
import { type Cursor, type Node, PatternProblem } from './syntax.ts'
import { except, lineEnds } from './units.ts'

export interface Parsed {
  readonly node: Node
  readonly ignoresCase: boolean
}

const ignoreCase = '(?i)'
const countPattern = /^\{(\d{1,4})(,(\d{1,4})?)?\}/

/** Reads a regular expression of the kind that can be matched in linear time; throws a PatternProblem. */
export function parsePattern(source: string): Parsed {
  const ignoresCase = source.startsWith(ignoreCase)
  const cursor = { source, at: ignoresCase ? ignoreCase.length : 0 }
  const node = readChoice(cursor)
  if (cursor.at < source.length) throw new PatternProblem('a ")" without its "("', cursor.at)
  return { node, ignoresCase }
}

function readChoice(cursor: Cursor): Node {
  const options = [readSequence(cursor)]
  while (cursor.source[cursor.at] === '|') {
    cursor.at += 1
    options.push(readSequence(cursor))
  }
  return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options }
}

function readSequence(cursor: Cursor): Node {
  const parts: Node[] = []
  for (;;) {
    const next = cursor.source[cursor.at]
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts }
    parts.push(readRepeated(cursor))
  }
}

function readRepeated(cursor: Cursor): Node {
  const begin = cursor.at
  const of = readAtom(cursor)
  const count = readCount(cursor)
  if (count === null) return of
  if (of.kind === 'place') throw new PatternProblem('a quantifier of a place that has no characters', begin)
  if (count.max !== null && count.max < count.min) {
    throw new PatternProblem('a quantifier whose greatest count is less than its least', begin)
  }
  if (cursor.source[cursor.at] === '?') cursor.at += 1 // lazy: what any match covers is masked, so it means the same
  return { kind: 'repeat', of, ...count }
}

function readCount(cursor: Cursor): { min: number; max: number | null } | null {
  const sign = cursor.source[cursor.at]
  const simple = sign === '*' ? ([0, null] as const) : sign === '+' ? ([1, null] as const) : null
  if (simple !== null || sign === '?') {
    cursor.at += 1
    return simple === null ? { min: 0, max: 1 } : { min: simple[0], max: simple[1] }
  }
  const counted = countPattern.exec(cursor.source.slice(cursor.at, cursor.at + 12))
  if (counted === null) return null
  cursor.at += counted[0].length
  const min = Number(counted[1])
  if (counted[2] === undefined) return { min, max: min }
  return { min, max: counted[3] === undefined ? null : Number(counted[3]) }
}

function readAtom(cursor: Cursor): Node {
  const { source, at } = cursor
  const sign = source[at] as string
  if ('*+?'.includes(sign)) throw new PatternProblem(`a "${sign}" with nothing before it`, at)
  if (sign === '{' || sign === '}')
    throw new PatternProblem(`a "${sign}" that is not escaped ("\\${sign}")`, at)
  if (sign === '(') return readGroup(cursor)
  if (sign === '[') return { kind: 'units', ranges: readClass(cursor) }
  if (sign === '\\') return readEscape(cursor)
  cursor.at += 1
  if (sign === '^') return { kind: 'place', place: 'start' }
  if (sign === '$') return { kind: 'place', place: 'end' }
  if (sign === '.') return { kind: 'units', ranges: except(lineEnds) }
  const unit = sign.charCodeAt(0)
  return { kind: 'units', ranges: [[unit, unit]] }
}

function readGroup(cursor: Cursor): Node {
  const begin = cursor.at
  const rest = cursor.source.slice(begin, begin + 4)
  if (/^\(\?<?[=!]/.test(rest))
    throw new PatternProblem('a look around, which cannot be matched in bounded time', begin)
  if (rest.startsWith('(?') && !rest.startsWith('(?:')) {
    throw new PatternProblem(
      'a group that is neither "(…)" nor "(?:…)"; "(?i)" may only begin a pattern',
      begin,
    )
  }
  cursor.at += rest.startsWith('(?:') ? 3 : 1
  const inner = readChoice(cursor)
  if (cursor.source[cursor.at] !== ')') throw new PatternProblem('a "(" without its ")"', begin)
  cursor.at += 1
  return inner
}
