/** Which UTF-16 units one place of a pattern takes: those of the ASCII range by a table, the others by ranges. */
export interface UnitSet {
  readonly ascii: Uint8Array
  /** Pairs of first and last, beyond ASCII. */
  readonly beyond: readonly (readonly [first: number, last: number])[]
}

export type Ranges = readonly (readonly [first: number, last: number])[]

const asciiEnd = 128
const unitMax = 0xff_ff

export const digits: Ranges = [[0x30, 0x39]]
export const words: Ranges = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
export const spaces: Ranges = [
  ...([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x16_80, 0x16_80],
    [0x20_00, 0x20_0a],
  ] as const),
  ...([
    [0x20_28, 0x20_29],
    [0x20_2f, 0x20_2f],
    [0x20_5f, 0x20_5f],
    [0x30_00, 0x30_00],
    [0xfe_ff, 0xfe_ff],
  ] as const),
]
export const lineEnds: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x20_28, 0x20_29],
]

/** All units that are not in the ranges. */
export function except(ranges: Ranges): Ranges {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const others: [number, number][] = []
  let from = 0
  for (const [first, last] of sorted) {
    if (first > from) others.push([from, first - 1])
    from = Math.max(from, last + 1)
  }
  if (from <= unitMax) others.push([from, unitMax])
  return others
}

export function unitSet(ranges: Ranges, ignoresCase: boolean): UnitSet {
  const ascii = new Uint8Array(asciiEnd)
  for (const [first, last] of ranges) {
    for (let unit = first; unit <= Math.min(last, asciiEnd - 1); unit += 1) {
      ascii[unit] = 1
      if (ignoresCase) ascii[otherCase(unit)] = 1
    }
  }
  return { ascii, beyond: ranges.filter(([, last]) => last >= asciiEnd) }
}

export function union(sets: readonly UnitSet[]): UnitSet {
  const ascii = new Uint8Array(asciiEnd)
  for (const set of sets) for (const [unit, isIn] of set.ascii.entries()) if (isIn === 1) ascii[unit] = 1
  return { ascii, beyond: sets.flatMap(({ beyond }) => beyond) }
}

export function holds({ ascii, beyond }: UnitSet, unit: number): boolean {
  if (unit < asciiEnd) return ascii[unit] === 1
  return beyond.some(([first, last]) => unit >= first && unit <= last)
}

/** Of letters of the ASCII range; the other ones have one case here. */
function otherCase(unit: number): number {
  const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
  return isLetter ? unit ^ 0x20 : unit
}
