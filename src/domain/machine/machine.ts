/** A transition table: the target state for each state and event. An event without an entry is refused, never ignored. */
export type Moves<State extends string, Kind extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Kind, State>>>>
>

/**
 * Why an event was refused:
 * - `late`: its target state is already reached or passed; harmless, and normal for duplicate and reordered
 *   events (I8);
 * - `illegal`: nothing in the table leads from here with this event.
 */
type RefusalReason = 'late' | 'illegal' | 'evidence-required'

export interface Refusal<State extends string = string> {
  readonly refused: RefusalReason
  readonly state: State
  readonly event: string
}

/** The state that the table gives, or the refusal. `order` lists the states from first to last. */
export function nextState<State extends string, Kind extends string>(
  moves: Moves<State, Kind>,
  order: readonly State[],
  state: State,
  event: Kind,
): State | Refusal<State> {
  const next = moves[state][event]
  if (next !== undefined) return next
  return { refused: isBehind(moves, order, state, event) ? 'late' : 'illegal', state, event }
}

export function isRefusal(result: unknown): result is Refusal {
  return typeof result === 'object' && result !== null && 'refused' in result
}

/** The states from which an event is accepted. */
function statesAccepting<State extends string, Kind extends string>(
  moves: Moves<State, Kind>,
  event: Kind,
): State[] {
  return (Object.keys(moves) as State[]).filter((state) => moves[state][event] !== undefined)
}

/** Whether every target state of an event is at or before the present state. */
function isBehind<State extends string, Kind extends string>(
  moves: Moves<State, Kind>,
  order: readonly State[],
  state: State,
  event: Kind,
): boolean {
  const targets = statesAccepting(moves, event).map((from) => moves[from][event] as State)
  return targets.length > 0 && targets.every((target) => order.indexOf(target) <= order.indexOf(state))
}
