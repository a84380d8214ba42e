import type { RunnerPod } from '../host/objects.ts'
import { programOf, stateOf } from '../host/read-pod.ts'
import type { Leftover } from './leftovers.ts'

/** What a pod of ours needs before it may go. */
export type PodStanding =
  /** Nothing runs in it any more: its record, then its finalizer. */
  | 'ended'
  /** No job has run in it: it is asked to go. */
  | 'idle'
  /** A job runs in it, or may. */
  | 'busy'

export function standingOf({ object }: Leftover<RunnerPod>): PodStanding {
  if (stateOf(object) === 'exited') return 'ended'
  return programOf(object, false) === 'waiting' ? 'idle' : 'busy'
}
