export {
  type Attempt,
  type AttemptState,
  attemptStates,
  type EndReason,
  endReasons,
  type Handle,
  isOpenAttempt,
} from './attempt.ts'
export { handleBytes, handleFrom } from './handle.ts'
export { mintName, runnerNameLengthMax } from './name.ts'
export { type AttemptEvent, attemptMoves, transitionAttempt } from './transition.ts'
