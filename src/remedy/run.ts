import { HoldfastError } from '../domain/errors/index.ts'
import {
  type GateResult,
  isEnded,
  isRefusal,
  masked,
  type RemedyEvent,
  type RemedyState,
  remedyAfter,
} from '../domain/remedy/index.ts'
import type { RemedyDeps } from './deps.ts'

interface Step {
  readonly subject?: string
  readonly gates?: readonly GateResult[]
  readonly outcome: string
}

/** One way through the state machine. Each move is a row of the trail, written before anything else happens. */
export interface Run {
  readonly state: RemedyState
  /** The outcome of the last move. */
  readonly outcome: string
  /** The gates of the last move. */
  readonly gates: readonly GateResult[]
  readonly isEnded: boolean
  is(state: RemedyState): boolean
  move(event: RemedyEvent, step: Step): Promise<void>
  /** From here on its rows name this plan. */
  of(plan: string): void
}

export function createRun(
  remedy: string,
  from: RemedyState,
  { trail, clock, actor }: Pick<RemedyDeps, 'trail' | 'clock' | 'actor'>,
): Run {
  let state = from
  let plan: string | null = null
  let last: Step = { outcome: '' }
  return {
    get state() {
      return state
    },
    get outcome() {
      return last.outcome
    },
    get gates() {
      return last.gates ?? []
    },
    get isEnded() {
      return isEnded(state)
    },
    is: (wanted) => state === wanted,
    of: (hash) => {
      plan = hash
    },
    async move(event, step) {
      const to = remedyAfter(state, event)
      if (isRefusal(to))
        throw new HoldfastError('E_BUG', { what: `${event} is no move of a remedy in the state ${state}` })
      const { subject = null, gates = [] } = step
      const outcome = masked(step.outcome)
      await trail.append({ at: clock.now(), actor, remedy, plan, step: to, subject, gates, outcome })
      state = to
      last = { ...step, outcome }
    },
  }
}
