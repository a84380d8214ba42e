import type { Moves } from './machine.ts'

/** A transition table as a Mermaid state diagram: the first state begins, a state without moves is an end. */
export function diagram<State extends string, Kind extends string>(
  moves: Moves<State, Kind>,
  order: readonly State[],
): string {
  const lines = order.flatMap((from, index) => [
    ...(index === 0 ? [`[*] --> ${from}`] : []),
    ...arrows(moves, order, from),
  ])
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** One arrow for each state that can be reached, with all events that lead there. */
function arrows<State extends string, Kind extends string>(
  moves: Moves<State, Kind>,
  order: readonly State[],
  from: State,
): string[] {
  const events = Object.entries(moves[from]) as [Kind, State][]
  if (events.length === 0) return [`${from} --> [*]`]
  return order.flatMap((to) => {
    const kinds = events.filter(([, target]) => target === to).map(([kind]) => kind)
    return kinds.length === 0 ? [] : [`${from} --> ${to}: ${kinds.join(', ')}`]
  })
}
