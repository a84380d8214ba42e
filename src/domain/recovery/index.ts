export type { Action } from './action.ts'
export {
  type Bound,
  type BoundedAct,
  type BoundedKind,
  type BoundReached,
  boundedActOf,
  boundedKinds,
  boundReached,
  type RecoveryBounds,
  recoveryBounds,
  scaledBounds,
  strangerId,
  type Tally,
  underWayMsMax,
} from './bounds.ts'
export { calmMsOf } from './calm.ts'
export { type Decision, decide } from './decide.ts'
export { leaveReasons, unforeseen } from './leave.ts'
export { lostRecord } from './loss.ts'

export { absenceMs, heartbeatMs } from './rules/host-lost.ts'
export { rules } from './rules/index.ts'
export { decideStray, type Stray, type StrayDecision, strayGraceMs, strayShownAfterMs } from './stray.ts'
export {
  type Fact,
  type FactName,
  type Facts,
  type ForgeJobStatus,
  type ForgeRunnerStatus,
  type HostedRunning,
  type HostedStatus,
  type Subject,
  unread,
  type View,
} from './view.ts'
