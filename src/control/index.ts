export { auditDeps } from './audit-deps.ts'
export type { ControlDeps, ControlSettings } from './deps.ts'
export { controlLoops, loopNames } from './loops.ts'
