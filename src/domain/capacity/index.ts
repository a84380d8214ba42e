export { checkCapacity, type LabelCapacity, type Schedulable } from './check.ts'
export {
  type NodeFilesystem,
  type NodeFilesystems,
  nodeFilesystems,
  type Reading,
  type Runway,
  readingsOf,
  runwaysOf,
} from './filesystems/index.ts'
export type { Limiter } from './limiter.ts'
export { type CapacityModel, capacityModel } from './model.ts'
export { type NodeDemand, nodeDemands } from './node-demand.ts'
export { placementRefusal } from './placement.ts'
export { type Raise, raisesIn } from './raise.ts'
export { podAmounts } from './requests.ts'
export { type Supposition, suppose } from './what-if.ts'
