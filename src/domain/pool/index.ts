export type { Fairness, Pool, PriorityRule } from './pool.ts'
export { matches, priorityOf, routeToPool, serves, weightOf } from './route.ts'
export { type PoolNeed, planScale, type ScalePlan } from './scale.ts'
