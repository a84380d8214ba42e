export { type ControlDeps, type ControlSettings, controlLoops } from './loops.ts'
