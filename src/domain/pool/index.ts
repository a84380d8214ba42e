export { type Allowance, allowanceNames, allowanceProblem, isAllowed } from './allowances.ts'
export { parseCron } from './cron.ts'
export { poolDefaults } from './defaults.ts'
export { type EvidencePlan, type PodPlan, type PodShape, podShapes } from './pod-plan.ts'
export { forkPolicies, type Pool, type Provisioning, publicPolicies } from './pool.ts'
export { bootingRoom, countPlaces, shareOut, startPauseMs } from './provision.ts'
export { planRoll } from './roll.ts'
export {
  admits,
  type ClosedPool,
  closedTo,
  hasLabels,
  matches,
  needsOrigin,
  priorityOf,
  type Refusal,
  refusalOf,
  reroute,
  routeToPool,
  serves,
  weightOf,
} from './route.ts'
export { planScale, type ScalePlan } from './scale.ts'
export {
  givenUpFor,
  givenUpReason,
  remedyOf,
  type StartProblem,
  type StartProblemKind,
  startProblemKinds,
} from './start-problem.ts'
export { nextSurplusAt, type SurplusLevel, sustainedSurplus, trackSurplus } from './surplus.ts'
export { nextWindowChange, warmNow } from './windows.ts'
export { zoneOf } from './zone.ts'
