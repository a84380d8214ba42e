import type { PodFact } from '../snapshot/index.ts'
import type { Instant } from '../time.ts'
import { isManager, startOf } from './manager.ts'

/** A manager and its first pod may be seen in the wrong order: the API server dates the pod, and a node the manager. */
const clockSkewMs = 60_000

/** Managers that live or may live: of one whose pod has ended no process is left. */
export function livingManagers(pods: readonly PodFact[]): readonly PodFact[] {
  return pods.filter(
    ({ containers, phase }) =>
      phase !== 'Succeeded' && phase !== 'Failed' && isManager(containers.map(({ image }) => image)),
  )
}

/** When the oldest process of these managers began. `unknown`: one is starting, and may have been there before. */
export function oldestStart(managers: readonly PodFact[]): Instant | 'none' | 'unknown' {
  const starts = managers.map(startOf).filter((start) => start !== null)
  if (starts.length < managers.length) return 'unknown'
  return starts.length === 0 ? 'none' : Math.min(...starts)
}

/** Whether every manager's process began after the pod was made: none of them reports its job, and none removes it. */
export function isOlderThan({ createdAt }: Pick<PodFact, 'createdAt'>, oldest: Instant): boolean {
  return createdAt !== null && createdAt + clockSkewMs < oldest
}
