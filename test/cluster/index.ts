export type { Answer, Api } from './api.ts'
export { type Cluster, openCluster } from './cluster.ts'
export { down, remains } from './down.ts'
export {
  busyboxEntries,
  busyboxImage,
  type Entry,
  type Image,
  makePollerImage,
  makeSimRunnerImage,
  pollerImage,
  programEntries,
  simRunnerCommand,
  simRunnerImage,
} from './images/index.ts'
export { addresses, nodeName, type Place, placeOf } from './place.ts'
export { makePriorityClass } from './priority-class.ts'
export { clusterNames, type PartStatus, status } from './status.ts'
export { type UpOptions, up } from './up.ts'
