export { type Avoidance, createNodeHealth, type NodeHealth } from './controller.ts'
export type { NodeHealthDeps } from './deps.ts'
