import type { Moves } from './machine.ts'

/**
 * Where a row may be found after one write, by where it was: what each event leads to. A plan may carry out several
 * events and write once: what `back` takes back can be moved on from there in the same write.
 */
export function netMoves<State extends string, Kind extends string>(
  moves: Moves<State, Kind>,
  back?: Kind,
): Map<State, ReadonlySet<State>> {
  const states = Object.keys(moves) as State[]
  return new Map(states.map((from) => [from, new Set([...direct(from), ...further(from)])]))

  function direct(from: State): State[] {
    return (Object.values(moves[from]) as State[]).filter((to) => to !== from)
  }

  function further(from: State): State[] {
    const to = back === undefined ? undefined : moves[from][back]
    return to === undefined ? [] : [...reachable(to)].filter((state) => state !== from)
  }

  function reachable(from: State, seen: Set<State> = new Set()): Set<State> {
    for (const to of direct(from)) {
      if (seen.has(to)) continue
      seen.add(to)
      reachable(to, seen)
    }
    return seen
  }
}
