import { programOf, type RunnerPod, stateOf } from '../host/index.ts'
import type { Leftover } from './leftovers.ts'

/** Whether a pod of ours is at work: decides what it needs before it is removed. */
export type PodActivity =
  /** Nothing runs in it any more: its record, then its finalizer. */
  | 'ended'
  /** No job has run in it: it is asked to go. */
  | 'idle'
  /** A job runs in it, or may. */
  | 'busy'

export function podActivityOf({ object }: Leftover<RunnerPod>): PodActivity {
  if (stateOf(object) === 'exited') return 'ended'
  return programOf(object, false) === 'waiting' ? 'idle' : 'busy'
}
