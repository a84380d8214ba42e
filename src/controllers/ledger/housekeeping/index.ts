export { type HousekeepingDeps, housekeepingLoop } from './controller.ts'
