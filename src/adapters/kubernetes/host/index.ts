export { createPodHost, type PodHost, type PodHostOptions } from './host.ts'
export { readHostId } from './host-id.ts'
