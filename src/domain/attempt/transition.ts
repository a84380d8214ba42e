import { isRefusal, type Moves, nextState, type Refusal } from '../machine/index.ts'
import type { Instant } from '../time.ts'
import { type Attempt, type AttemptState, attemptStates, type EndReason } from './attempt.ts'

export type AttemptTransition =
  | { readonly kind: 'minted'; readonly forgeRunnerId: number; readonly deadlineMs: number }
  | { readonly kind: 'delivered'; readonly deadlineMs: number }
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'registered'; readonly deadlineMs: number }
  | { readonly kind: 'started'; readonly checkInMs: number }
  | Ended<'mintFailed'>
  | Ended<'claimExpired'>
  | Ended<'neverRegistered'>
  | Ended<'finished'>
  | Ended<'runnerGone'>
  | Ended<'takenElsewhere'>
  | Ended<'retired'>

interface Ended<Kind extends string> {
  readonly kind: Kind
  readonly evidenceId: number | null
}

/** Before delivery an attempt may end by itself; after it only something proven ends it. */
export const attemptMoves = {
  claimed: {
    minted: 'minted',
    mintFailed: 'ended',
    claimExpired: 'ended',
    finished: 'ended',
    runnerGone: 'ended',
    takenElsewhere: 'ended',
    retired: 'ended',
  },
  minted: {
    delivered: 'delivered',
    started: 'running', // the forge's state outranks ours: a fail-over may have lost the row of the delivery
    claimExpired: 'ended',
    finished: 'ended',
    runnerGone: 'ended',
    takenElsewhere: 'ended',
    retired: 'ended',
  },
  delivered: {
    acknowledged: 'acknowledged',
    registered: 'registered',
    started: 'running',
    neverRegistered: 'ended',
    finished: 'ended',
    runnerGone: 'ended',
    takenElsewhere: 'ended',
    retired: 'ended',
  },
  acknowledged: {
    registered: 'registered',
    started: 'running',
    neverRegistered: 'ended',
    finished: 'ended',
    runnerGone: 'ended',
    takenElsewhere: 'ended',
    retired: 'ended',
  },
  registered: {
    started: 'running',
    finished: 'ended',
    runnerGone: 'ended',
    takenElsewhere: 'ended',
    retired: 'ended',
  },
  running: { finished: 'ended', runnerGone: 'ended', takenElsewhere: 'ended', retired: 'ended' },
  ended: {},
} as const satisfies Moves<AttemptState, AttemptTransition['kind']>

export function transitionAttempt(
  attempt: Attempt,
  event: AttemptTransition,
  now: Instant,
): Attempt | Refusal<AttemptState> {
  const state = nextState<AttemptState, AttemptTransition['kind']>(
    attemptMoves,
    attemptStates,
    attempt.state,
    event.kind,
  )
  if (isRefusal(state)) return state
  if (state === 'ended' && attempt.deliveredAt !== null && evidenceOf(event) === null) {
    return { refused: 'evidence-required', state: attempt.state, event: event.kind } // I3
  }
  return { ...attempt, state, ...factsOf(attempt, event, now) }
}

function evidenceOf(event: AttemptTransition): number | null {
  return 'evidenceId' in event ? event.evidenceId : null
}

const endReasonOf = {
  mintFailed: 'mint-failed',
  claimExpired: 'claim-expired',
  neverRegistered: 'never-registered',
  finished: 'finished',
  runnerGone: 'runner-gone',
  takenElsewhere: 'taken-elsewhere',
  retired: 'retired',
} as const satisfies Record<string, EndReason>

function factsOf(attempt: Attempt, event: AttemptTransition, now: Instant): Partial<Attempt> {
  const at = notBefore(attempt, now)
  switch (event.kind) {
    case 'minted':
      return { mintedAt: at, forgeRunnerId: event.forgeRunnerId, checkAt: now + event.deadlineMs }
    case 'delivered':
      return { deliveredAt: at, checkAt: now + event.deadlineMs }
    case 'acknowledged':
      return { acknowledgedAt: at }
    case 'registered':
      return { registeredAt: at, checkAt: now + event.deadlineMs }
    case 'started':
      return {
        startedAt: at,
        deliveredAt: attempt.deliveredAt ?? at,
        registeredAt: attempt.registeredAt ?? at,
        checkAt: now + event.checkInMs,
      }
    default:
      return { endedAt: at, endReason: endReasonOf[event.kind], evidenceId: event.evidenceId }
  }
}

/** A clock that was set back does not end an attempt before it began. */
function notBefore(attempt: Attempt, now: Instant): Instant {
  const { claimedAt, mintedAt, deliveredAt, acknowledgedAt, registeredAt, startedAt } = attempt
  return Math.max(
    now,
    claimedAt,
    ...[mintedAt, deliveredAt, acknowledgedAt, registeredAt, startedAt].map((at) => at ?? 0),
  )
}
