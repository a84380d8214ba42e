export { createPodHost, type PodHost } from './host.ts'
export { readHostId } from './host-id.ts'
export { type RunnerPod, toRunnerPod } from './objects/objects.ts'
export { programOf, stateOf } from './status/runner-status.ts'
