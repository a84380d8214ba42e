import type { Range } from './linear/index.ts'

/** Shorter ones would hide ordinary words. */
export const KNOWN_CHARS_MIN = 8
/** All known values together: bounds what is kept in memory. */
export const KNOWN_TOTAL_CHARS_MAX = 256 * 1024
/** Of a longer value every piece of this length is hidden, however lines were broken or cut. */
const PIECE_CHARS = 24

/** Finds exact values that somebody knows to be secret, and pieces of the long ones. */
export interface KnownValues {
  find(text: string): Range[]
}

export function createKnownValues(values: readonly string[]): KnownValues {
  const { short, pieces } = prepare(values)
  return {
    find: (text) => [...short.flatMap((value) => occurrences(text, value)), ...piecesIn(text, pieces)],
  }
}

function prepare(values: readonly string[]): { short: readonly string[]; pieces: ReadonlySet<string> } {
  const short = new Set<string>()
  const pieces = new Set<string>()
  let left = KNOWN_TOTAL_CHARS_MAX
  for (const value of values.flatMap(spellings)) {
    if (value.length < KNOWN_CHARS_MIN || value.length > left) continue
    left -= value.length
    if (value.length < PIECE_CHARS) short.add(value)
    for (let at = 0; at + PIECE_CHARS <= value.length; at += 1) pieces.add(value.slice(at, at + PIECE_CHARS))
  }
  return { short: [...short], pieces }
}

/** As it is, as it stands in a URL, and as it stands in JSON. */
function spellings(value: string): string[] {
  const plain = value.trim()
  return [...new Set([plain, inUrl(plain), JSON.stringify(plain).slice(1, -1)])]
}

function inUrl(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    return value // half a character, which no URL can hold
  }
}

function occurrences(text: string, value: string): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    ranges.push([at, at + value.length])
  }
  return ranges
}

function piecesIn(text: string, pieces: ReadonlySet<string>): Range[] {
  if (pieces.size === 0) return []
  const ranges: [number, number][] = []
  for (let at = 0; at + PIECE_CHARS <= text.length; at += 1) {
    if (!pieces.has(text.slice(at, at + PIECE_CHARS))) continue
    const last = ranges.at(-1)
    if (last !== undefined && last[1] >= at) last[1] = at + PIECE_CHARS
    else ranges.push([at, at + PIECE_CHARS])
  }
  return ranges
}
