import type { Range } from './linear/index.ts'
import { spellings } from './spellings.ts'

/** Shorter ones would hide ordinary words. */
export const KNOWN_CHARS_MIN = 8
/** All known values together: bounds what is kept in memory. */
export const KNOWN_TOTAL_CHARS_MAX = 256 * 1024
/** Of a longer value every piece of this length is hidden, however lines were broken or cut. */
const PIECE_CHARS = 24

/** Finds exact values that somebody knows to be secret, and pieces of the long ones. */
export interface KnownValues {
  /** From now on these are found too. */
  add(values: readonly string[]): void
  find(text: string): Range[]
}

export function createKnownValues(values: readonly string[]): KnownValues {
  const short = new Set<string>()
  const pieces = new Set<string>()
  let left = KNOWN_TOTAL_CHARS_MAX
  const add = (more: readonly string[]): void => {
    for (const value of more.flatMap(spellings)) {
      if (value.length < KNOWN_CHARS_MIN || value.length > left || isKnown(value)) continue
      left -= value.length
      if (value.length < PIECE_CHARS) short.add(value)
      for (const piece of piecesOf(value)) pieces.add(piece)
    }
  }
  /** Files are read again and again, mostly unchanged. */
  const isKnown = (value: string): boolean =>
    value.length < PIECE_CHARS ? short.has(value) : piecesOf(value).every((piece) => pieces.has(piece))
  add(values)
  return {
    add,
    find: (text) => [...[...short].flatMap((value) => occurrences(text, value)), ...piecesIn(text, pieces)],
  }
}

function piecesOf(value: string): string[] {
  const count = Math.max(0, value.length - PIECE_CHARS + 1)
  return Array.from({ length: count }, (_, at) => value.slice(at, at + PIECE_CHARS))
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
