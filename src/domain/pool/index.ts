export { type Allowance, allowanceNames, allowanceProblem, allowances, isAllowed } from './allowances.ts'
export { parseCron } from './cron.ts'
export { poolDefaults } from './defaults.ts'
export { type DindPlan, type EvidencePlan, type PodPlan, type PodShape, podShapes } from './pod-plan.ts'
export type { Fairness, Pool, PriorityRule, Provisioning, Rollout, WarmWindow } from './pool.ts'
export { bootingRoom, countPlaces, type Place, shareOut, startPauseMs } from './provision.ts'
export { planRoll, type RollNeed } from './roll.ts'
export {
  admits,
  closedTo,
  hasLabels,
  matches,
  priorityOf,
  type Routed,
  reroute,
  routeToPool,
  serves,
  weightOf,
} from './route.ts'
export { type PoolNeed, planScale, type ScalePlan } from './scale.ts'
export { nextSurplusAt, type SurplusLevel, sustainedSurplus, trackSurplus } from './surplus.ts'
export { givenUpFor, givenUpReason, type Trouble, type TroubleKind, troubleKinds } from './trouble.ts'
export { nextWindowChange, warmNow } from './windows.ts'
export { zoneOf } from './zone.ts'
