export { again, createDoorbell, done, type Loop, type LoopDeps, type Outcome, runLoop } from './loop.ts'
