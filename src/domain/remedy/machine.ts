import { isRefusal, type Moves, nextState, type Refusal } from '../machine/index.ts'

/** The states of every remedy. The last three are its other ends: a gate, a changed world, a proof that did not come. */
export const remedyStates = [
  'observed',
  'classified',
  'evidence-sealed',
  'planned',
  'approved',
  're-checked',
  'acted',
  'verified',
  'done',
  'blocked',
  'aborted',
  'escalated',
] as const
export type RemedyState = (typeof remedyStates)[number]

export type RemedyEvent =
  | 'classify'
  | 'seal'
  | 'plan'
  | 'approve'
  | 're-check'
  | 'act'
  | 'verify'
  | 'next'
  | 'finish'
  | 'block'
  | 'abort'
  | 'escalate'

/**
 * Which events move a remedy, and where to. An act follows a passed re-check and nothing else; `next` goes on with the next
 * object, which is re-checked by itself. `abort`: the world is not the plan's any more, and nothing more is done.
 * `escalate`: something was done, and its result is not proven.
 */
export const remedyMoves = {
  observed: { classify: 'classified', block: 'blocked' },
  classified: { seal: 'evidence-sealed', block: 'blocked' },
  'evidence-sealed': { plan: 'planned', block: 'blocked' },
  planned: { approve: 'approved', block: 'blocked' },
  approved: { 're-check': 're-checked', block: 'blocked', abort: 'aborted' },
  're-checked': { act: 'acted', abort: 'aborted', escalate: 'escalated' },
  acted: { verify: 'verified', escalate: 'escalated' },
  verified: { next: 'approved', finish: 'done', escalate: 'escalated' },
  done: {},
  blocked: {},
  aborted: {},
  escalated: {},
} as const satisfies Moves<RemedyState, RemedyEvent>

/** The state after an event, or why there is none. */
export function remedyAfter(state: RemedyState, event: RemedyEvent): RemedyState | Refusal<RemedyState> {
  return nextState<RemedyState, RemedyEvent>(remedyMoves, remedyStates, state, event)
}

/** Whether a remedy has come to its end, good or not. */
export function isEnded(state: RemedyState): boolean {
  return Object.keys(remedyMoves[state]).length === 0
}

export { isRefusal }
