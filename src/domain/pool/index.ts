export type { Fairness, Pool, PriorityRule } from './pool.ts'
export { matches, priorityOf, routeToPool, serves, weightOf } from './route.ts'
