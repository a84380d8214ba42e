export type { DispatchDeps } from './deps.ts'
export { type PollAnswer, poll } from './poll.ts'
export type { DispatchSettings } from './settings.ts'
export { createWaiters } from './waiters.ts'
