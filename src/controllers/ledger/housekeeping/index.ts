export { housekeepingLoop } from './controller.ts'
