import { isRefusal, type Moves, nextState, type Refusal } from '../machine/index.ts'
import type { Instant } from '../time.ts'
import { type Runner, type RunnerState, runnerStates } from './runner.ts'

export type RunnerTransition =
  | { readonly kind: 'polled' }
  | { readonly kind: 'claimed' }
  /** Its attempt ended before anything was delivered: it may be given another job. */
  | { readonly kind: 'released' }
  | { readonly kind: 'started' }
  | { readonly kind: 'fenced'; readonly reason: string }
  | { readonly kind: 'gone'; readonly evidenceId: number; readonly reason: string }

/** A fenced runner is never given a job again; a runner that ended never comes back. */
export const runnerMoves = {
  booting: { polled: 'polling', started: 'busy', fenced: 'fenced', gone: 'ended' },
  polling: { polled: 'polling', claimed: 'claimed', started: 'busy', fenced: 'fenced', gone: 'ended' },
  claimed: { released: 'polling', started: 'busy', fenced: 'fenced', gone: 'ended' },
  busy: { gone: 'ended' },
  fenced: { started: 'busy', gone: 'removed' },
  ended: {},
  removed: {},
} as const satisfies Moves<RunnerState, RunnerTransition['kind']>

export function transitionRunner(
  runner: Runner,
  event: RunnerTransition,
  now: Instant,
): Runner | Refusal<RunnerState> {
  const state = nextState<RunnerState, RunnerTransition['kind']>(
    runnerMoves,
    runnerStates,
    runner.state,
    event.kind,
  )
  if (isRefusal(state)) return state
  return { ...runner, state, ...factsOf(runner, event, now) }
}

function factsOf(runner: Runner, event: RunnerTransition, now: Instant): Partial<Runner> {
  switch (event.kind) {
    case 'polled':
      return { polledAt: now }
    case 'claimed':
    case 'started':
      return { everClaimed: true }
    case 'fenced':
      return { fencedAt: now, reason: event.reason, checkAt: now }
    case 'gone':
      // Also where the clock was set back.
      return {
        endedAt: Math.max(now, runner.createdAt),
        evidenceId: event.evidenceId,
        reason: event.reason,
      }
    default:
      return {}
  }
}
