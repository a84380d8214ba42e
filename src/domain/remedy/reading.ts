import type {
  ForgeJobFact,
  ListenerFact,
  ObjectRef,
  PodFact,
  RunnerFact,
  RunnerSetFact,
  ScaleSetFact,
} from '../snapshot/index.ts'
import type { Instant } from '../time.ts'

/** One set of ARC with all that belongs to it, read from the API server at one time, and whole. */
export interface SetReading {
  readonly at: Instant
  readonly place: ObjectRef
  /** Null: there is no such set. */
  readonly set: ScaleSetFact | null
  readonly generations: readonly RunnerSetFact[]
  readonly runners: readonly RunnerFact[]
  readonly listeners: readonly ListenerFact[]
  /** Pods of the listeners. */
  readonly listenerPods: readonly PodFact[]
}

/** The word of the forge about one runner. */
export interface ForgeReading {
  readonly at: Instant
  /** Null: a list that could be read has no runner of this name. */
  readonly runner: {
    readonly id: number
    readonly name: string
    readonly isOnline: boolean
    readonly isBusy: boolean
  } | null
}

/** One job of a repository at the forge. */
export interface JobRef {
  readonly repository: string
  readonly jobId: number
}

/** The word of the forge about one job. */
export interface JobReading {
  readonly at: Instant
  /** Null: the forge knows no such job. */
  readonly job: ForgeJobFact | null
}

/** Whether the set's listener runs: only then do the job fields of its runners say anything. */
export function hasRunningListener({ listeners, listenerPods }: SetReading): boolean {
  return listeners.some(
    ({ namespace, name, deletedAt }) =>
      deletedAt === null &&
      listenerPods.some((pod) => pod.namespace === namespace && pod.name === name && isRunning(pod)),
  )
}

function isRunning({ phase, deletedAt, statuses }: PodFact): boolean {
  return (
    phase === 'Running' &&
    deletedAt === null &&
    statuses.length > 0 &&
    statuses.every(({ state }) => state?.kind === 'running')
  )
}
