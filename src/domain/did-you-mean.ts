const nameCharsMax = 100

/** The known name that was probably meant, if one is near enough to be a slip. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  if (name.length > nameCharsMax) return undefined
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance }
  }
  return best !== undefined && best.distance <= slipsAllowed(name) ? best.name : undefined
}

function slipsAllowed(name: string): number {
  return Math.max(1, Math.floor(name.length / 3))
}

/** Letters added, left out, replaced, or two swapped. */
function editDistance(from: string, to: string): number {
  const first = Array.from({ length: to.length + 1 }, (_, column) => column)
  const table = [first]
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(table, row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwap ? at(table, row - 2, column - 2) + 1 : replaced
      line.push(Math.min(replaced, swapped, at(table, row - 1, column) + 1, (line[column - 1] ?? 0) + 1))
    }
    table.push(line)
  }
  return at(table, from.length, to.length)
}

function at(table: readonly (readonly number[])[], row: number, column: number): number {
  return table[row]?.[column] ?? Number.POSITIVE_INFINITY
}
