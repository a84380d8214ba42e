export { type RollDeps, rollLoop } from './controller.ts'
