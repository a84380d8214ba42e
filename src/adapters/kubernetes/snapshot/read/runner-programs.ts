import { isManager } from '../../../../domain/gitlab/index.ts'
import type { ContainerStatusFact, DeploymentFact, PodFact } from '../../../../domain/snapshot/index.ts'

/** The programs that make runners. */
export type RunnerProgram = 'controller' | 'listener' | 'manager'

/** Names under which ARC's charts install its controller. */
const controllers = new Set(['gha-rs-controller', 'gha-runner-scale-set-controller'])

/** The part that a pod or deployment has in making runners; null: none. */
export function runnerProgramOf({ labels, ...rest }: PodFact | DeploymentFact): RunnerProgram | null {
  if (labels['app.kubernetes.io/component'] === 'runner-scale-set-listener') return 'listener'
  const names = [labels['app.kubernetes.io/name'] ?? '', labels['app.kubernetes.io/part-of'] ?? '']
  if (names.some((name) => controllers.has(name))) return 'controller'
  const images = 'images' in rest ? Object.values(rest.images) : rest.containers.map(({ image }) => image)
  return isManager(images) ? 'manager' : null
}

/** Whether a container has run at all: before that it has no log. */
export function isStarted({ state, lastState }: ContainerStatusFact): boolean {
  return lastState !== null || (state !== null && state.kind !== 'waiting')
}
