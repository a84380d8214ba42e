export { type AttemptComparison, attemptOutcomes, compareAttempts, stepOf } from './compare.ts'
export { attemptsOf, type RunAttempt } from './run-attempt.ts'
export type { RunHead } from './run-head.ts'
