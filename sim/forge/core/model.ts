export type { Instant } from '../../../src/ports/clock.ts'
export * from './account-model.ts'
export type * from './message-model.ts'
export * from './work-model.ts'
