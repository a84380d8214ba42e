import type { Range } from './linear/index.ts'
import { spellings } from './spellings.ts'

/** Shorter values would hide ordinary words. */
const knownCharsMin = 8
/** The bound on all known values together, in memory. */
const knownTotalCharsMax = 256 * 1024
/** Every piece of this length of a longer value is hidden, however its lines are wrapped or cut. */
const pieceChars = 24

/** Finds exact values that are known to be secret, and pieces of long ones. */
export interface KnownValues {
  /** Adds values to find from now on. */
  add(values: readonly string[]): void
  find(text: string): Range[]
}

export function createKnownValues(values: readonly string[]): KnownValues {
  const short = new Set<string>()
  const pieces = new Set<string>()
  let left = knownTotalCharsMax
  const add = (more: readonly string[]): void => {
    for (const value of more.flatMap(spellings)) {
      if (value.length < knownCharsMin || value.length > left || isKnown(value)) continue
      left -= value.length
      if (value.length < pieceChars) short.add(value)
      for (const piece of piecesOf(value)) pieces.add(piece)
    }
  }
  /** Whether a value was added before: files are read repeatedly, mostly unchanged. */
  const isKnown = (value: string): boolean =>
    value.length < pieceChars ? short.has(value) : piecesOf(value).every((piece) => pieces.has(piece))
  add(values)
  return {
    add,
    find: (text) => [...[...short].flatMap((value) => occurrences(text, value)), ...piecesIn(text, pieces)],
  }
}

function piecesOf(value: string): string[] {
  const count = Math.max(0, value.length - pieceChars + 1)
  return Array.from({ length: count }, (_, at) => value.slice(at, at + pieceChars))
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
  for (let at = 0; at + pieceChars <= text.length; at += 1) {
    if (!pieces.has(text.slice(at, at + pieceChars))) continue
    const last = ranges.at(-1)
    if (last !== undefined && last[1] >= at) last[1] = at + pieceChars
    else ranges.push([at, at + pieceChars])
  }
  return ranges
}
