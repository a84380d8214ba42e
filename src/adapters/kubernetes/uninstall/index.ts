export { findLeftovers, type Leftover, type Leftovers, leases } from './leftovers.ts'
export { type Removal, removeLeftover } from './remove.ts'
export { type PodStanding, standingOf } from './states.ts'
