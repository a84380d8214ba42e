export { awaitsApproval, isAwaitingApproval } from './approval.ts'
export {
  isOpen,
  type Job,
  type JobState,
  jobStates,
  noBackOff,
  openJobStates,
  type Priority,
  priorities,
} from './job.ts'
export { jobFields } from './log-fields.ts'
export { isSameName, nameKey } from './names.ts'
export { type JobOrigin, originOf } from './origin.ts'
export { isRepositoryName } from './repository.ts'
export { attentionRank, endedRank, type JobStanding, jobStandings, standingOf } from './standing.ts'
export { type JobTransition, jobMoves, transitionJob } from './transition.ts'
