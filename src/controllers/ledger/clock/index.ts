export { type ClockDeps, clockLoop } from './controller.ts'
