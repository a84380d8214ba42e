export { checkAccess } from './check-access.ts'
export { findLeftovers, type Leftover, type Leftovers } from './leftovers.ts'
export { podActivityOf } from './pod-activity.ts'
export { removeLeftover } from './remove-leftover.ts'
