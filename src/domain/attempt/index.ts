export {
  type Attempt,
  type AttemptState,
  attemptStates,
  type CancelAnswer,
  cancelAnswers,
  type EndReason,
  endReasons,
  type Handle,
  isOpenAttempt,
  type PastDeadline,
} from './attempt.ts'
export { ranOfLimit, ranSince } from './deadline.ts'
export { handleBytes, handleFrom } from './handle.ts'
export { mintName, runnerNameLengthMax } from './name.ts'
export { type AttemptEvent, attemptMoves, transitionAttempt } from './transition.ts'
