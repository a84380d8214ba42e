export {
  type Attempt,
  type AttemptState,
  attemptStates,
  type CancelAnswer,
  cancelAnswers,
  endReasons,
  type Handle,
  isOpenAttempt,
  type PastDeadline,
} from './attempt.ts'
export { ranOfLimit, ranSince } from './deadline.ts'
export { handleBytes, handleFrom } from './handle.ts'
export { mintName, runnerNameLengthMax, runnerNameOf } from './name.ts'
export { type AttemptTransition, attemptMoves, transitionAttempt } from './transition.ts'
