export { auditDeps, type ControlDeps, type ControlSettings, controlLoops, loopNames } from './loops.ts'
