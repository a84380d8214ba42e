export { type Avoidance, createNodeHealth } from './controller.ts'
