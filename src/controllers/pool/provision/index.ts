export { adopt } from './adopt.ts'
export { neverStarted } from './never-started.ts'
export type { PendingStart, Starter, StarterDeps } from './starter.ts'
export { createStarter } from './starter.ts'
