import { isRefusal, type Moves, nextState, type Refusal } from '../machine/index.ts'
import type { Instant } from '../time.ts'
import { type Job, type JobState, jobStates, noBackOff } from './job.ts'

export type JobTransition =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'registered' }
  /** The forge said `in_progress`, naming the runner. */
  | { readonly kind: 'started'; readonly executor: string; readonly forgeStartedAt: Instant | null }
  | Over<'completed', string>
  | Over<'cancelled', string>
  | Over<'lost', string | null>
  /** The forge's conclusion came first, then the death of its runner showed that the job was lost. Both are kept. */
  | {
      readonly kind: 'judgedLost'
      readonly death: string
      readonly was: string
      readonly conclusion: string | null
    }
  /** The forge gave its runner another job: it waits again, without a delay and without a mark against it. */
  | { readonly kind: 'unbound' }
  /** Recovery or a failed mint puts it back. */
  | { readonly kind: 'requeued'; readonly delayMs: number; readonly mintFailed?: boolean }

type Over<Kind extends string, Conclusion> = {
  readonly kind: Kind
  readonly conclusion: Conclusion
  readonly forgeCompletedAt: Instant | null
  /** The executor and its start, where only the final event has them. */
  readonly ran?: { readonly executor: string; readonly forgeStartedAt: Instant | null }
}

const over = { completed: 'completed', cancelled: 'cancelled', lost: 'lost' } as const

const back = { requeued: 'queued', unbound: 'queued' } as const

/** The only ways back are `requeued` and `unbound`, and neither leads out of an end; `judgedLost` corrects one. */
export const jobMoves = {
  queued: { claimed: 'claimed', started: 'running', ...over },
  claimed: { delivered: 'delivered', started: 'running', ...back, ...over },
  delivered: { registered: 'registered', started: 'running', ...back, ...over },
  registered: { started: 'running', ...back, ...over },
  running: { ...back, ...over },
  completed: { judgedLost: 'lost' },
  cancelled: { judgedLost: 'lost' },
  lost: {},
} as const satisfies Moves<JobState, JobTransition['kind']>

export function transitionJob(job: Job, event: JobTransition, now: Instant): Job | Refusal<JobState> {
  const state = nextState<JobState, JobTransition['kind']>(jobMoves, jobStates, job.state, event.kind)
  if (isRefusal(state)) return state
  return { ...job, state, ...factsOf(job, event, now) }
}

function factsOf(job: Job, event: JobTransition, now: Instant): Partial<Job> {
  switch (event.kind) {
    case 'started':
      // The forge gave it to a runner all the same: what we withheld it for does not matter any more.
      return { executor: event.executor, forgeStartedAt: event.forgeStartedAt, quarantine: null }
    case 'completed':
    case 'cancelled':
    case 'lost':
      return {
        ...event.ran,
        conclusion: event.conclusion,
        forgeCompletedAt: event.forgeCompletedAt,
        endedAt: Math.max(now, job.seenAt), // also where the clock was set back
      }
    case 'requeued':
      return {
        executor: null,
        forgeStartedAt: null,
        notBefore: event.delayMs === 0 ? noBackOff : now + event.delayMs,
        checkAt: now + event.delayMs,
        requeues: job.requeues + 1,
        mintFailures: event.mintFailed ? job.mintFailures + 1 : job.mintFailures,
      }
    case 'unbound':
      return { executor: null, forgeStartedAt: null, checkAt: now }
    default:
      return {}
  }
}
