import type { Moves } from './machine.ts'

/**
 * The states that one write may move a row to, by its state before. A plan may apply several events and write once: a row
 * that `back` moves back may move on from there in the same write.
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
