import { isRefusal, type Moves, nextState, type Refusal } from '../../machine/index.ts'

/** The steps of a managed apply, in their order; the last five are its ends. `roll-back` gives back what is owed on an abort. */
export const applyStates = [
  'canary',
  'quiesce-scope',
  'reap-idle',
  'cap-freeze',
  'apply',
  'cap-restore',
  'settle-reap-stale',
  'prove-listener-cap',
  'roll-back',
  'done',
  'refused',
  'failed',
  'aborted',
  'escalated',
] as const
export type ApplyState = (typeof applyStates)[number]

/**
 * `pass`: the step did what it is for. `fail`: the user's command did not end well. `stop`: go no further, and give back
 * what is owed. `escalate`: the caps are given back, and the rest is not proven.
 */
export type ApplyEvent = 'pass' | 'fail' | 'stop' | 'escalate'

/**
 * Which events move a managed apply, and where to. The command runs in `apply` and in no other state; no end follows a freeze
 * but through a step that gives the caps back.
 */
export const applyMoves = {
  canary: { pass: 'quiesce-scope', stop: 'refused' },
  'quiesce-scope': { pass: 'reap-idle', stop: 'roll-back' },
  'reap-idle': { pass: 'cap-freeze', stop: 'roll-back' },
  'cap-freeze': { pass: 'apply', stop: 'roll-back' },
  apply: { pass: 'cap-restore', stop: 'roll-back' },
  'cap-restore': { pass: 'settle-reap-stale', fail: 'failed', stop: 'roll-back' },
  'settle-reap-stale': { pass: 'prove-listener-cap', escalate: 'escalated', stop: 'roll-back' },
  'prove-listener-cap': { pass: 'done', escalate: 'escalated', stop: 'roll-back' },
  'roll-back': { pass: 'aborted' },
  done: {},
  refused: {},
  failed: {},
  aborted: {},
  escalated: {},
} as const satisfies Moves<ApplyState, ApplyEvent>

/** The state after an event, or why there is none. */
export function applyAfter(state: ApplyState, event: ApplyEvent): ApplyState | Refusal<ApplyState> {
  return nextState<ApplyState, ApplyEvent>(applyMoves, applyStates, state, event)
}

/** Whether a managed apply has come to its end, good or not. */
export function isApplyEnded(state: ApplyState): boolean {
  return Object.keys(applyMoves[state]).length === 0
}

export { isRefusal as isApplyRefusal }
