import { type Cursor, type Node, PatternProblem } from './syntax.ts'
import { digits, except, type Ranges, spaces, words } from './units.ts'

const controls: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b, 0: 0 }
const kinds: Readonly<Record<string, Ranges>> = {
  d: digits,
  w: words,
  s: spaces,
  D: except(digits),
  W: except(words),
  S: except(spaces),
}
const hexPairs = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/

/** Reads what stands after a backslash outside of a class. */
export function readEscape(cursor: Cursor): Node {
  const sign = cursor.source[cursor.at + 1]
  if (sign === 'b' || sign === 'B') {
    cursor.at += 2
    return { kind: 'place', place: sign === 'b' ? 'word-edge' : 'no-word-edge' }
  }
  return { kind: 'units', ranges: readUnits(cursor) }
}

/** Reads a class such as `[^a-z\d]`. */
export function readClass(cursor: Cursor): Ranges {
  const begin = cursor.at
  const { source } = cursor
  const isNegated = source[begin + 1] === '^'
  cursor.at += isNegated ? 2 : 1
  const ranges: (readonly [number, number])[] = []
  while (source[cursor.at] !== ']') {
    if (cursor.at >= source.length) throw new PatternProblem('a "[" without its "]"', begin)
    ranges.push(...readRange(cursor))
  }
  cursor.at += 1
  if (ranges.length === 0) throw new PatternProblem('a class without any character', begin)
  return isNegated ? except(ranges) : ranges
}

function readRange(cursor: Cursor): Ranges {
  const begin = cursor.at
  const first = readMember(cursor)
  const { source, at } = cursor
  if (source[at] !== '-' || source[at + 1] === ']' || source[at + 1] === undefined) return first
  cursor.at += 1
  const from = single(first, begin)
  const to = single(readMember(cursor), at + 1)
  if (to < from) throw new PatternProblem('a range of characters whose end comes before its begin', begin)
  return [[from, to]]
}

function readMember(cursor: Cursor): Ranges {
  const { source, at } = cursor
  if (source[at] === '\\') return source[at + 1] === 'b' ? backspace(cursor) : readUnits(cursor)
  const unit = source.charCodeAt(at)
  if (unit >= 0xd8_00 && unit <= 0xdf_ff) {
    throw new PatternProblem('a character beyond U+FFFF in a class; write it outside, as one of several', at)
  }
  cursor.at += 1
  return [[unit, unit]]
}

function backspace(cursor: Cursor): Ranges {
  cursor.at += 2
  return [[0x08, 0x08]]
}

function single(ranges: Ranges, at: number): number {
  const [range] = ranges
  if (ranges.length !== 1 || range === undefined || range[0] !== range[1]) {
    throw new PatternProblem('a range of characters that begins or ends with many', at)
  }
  return range[0]
}

function readUnits(cursor: Cursor): Ranges {
  const { source, at } = cursor
  const sign = source[at + 1]
  if (sign === undefined) throw new PatternProblem('a "\\" at the end', at)
  if (/[1-9k]/.test(sign))
    throw new PatternProblem('a back-reference, which cannot be matched in bounded time', at)
  const hex = hexPairs.exec(source.slice(at + 1, at + 6))
  if (hex !== null) {
    cursor.at += 1 + hex[0].length
    const unit = Number.parseInt((hex[1] ?? hex[2]) as string, 16)
    return [[unit, unit]]
  }
  const kind = Object.hasOwn(kinds, sign) ? kinds[sign] : undefined
  const control = Object.hasOwn(controls, sign) ? controls[sign] : undefined
  if (kind === undefined && control === undefined && /[A-Za-z0-9]/.test(sign)) {
    throw new PatternProblem(`"\\${sign}", which is not known here`, at)
  }
  cursor.at += 2
  const unit = control ?? sign.charCodeAt(0)
  return kind ?? [[unit, unit]]
}
