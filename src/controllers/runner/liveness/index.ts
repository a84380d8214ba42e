export { livenessLoop } from './controller.ts'
export type { LivenessDeps } from './deps.ts'
export { type Booting, givenUpAt } from './patience.ts'
