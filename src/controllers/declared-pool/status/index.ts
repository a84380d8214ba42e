export { conditionsOf, type PoolFacts } from './conditions.ts'
export { statusLoop } from './controller.ts'
