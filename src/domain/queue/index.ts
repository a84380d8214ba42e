export { compareQueued, isAged, startTag, waitingSince } from './order.ts'
export {
  forgeLimitOf,
  leaseMs,
  pointCursor,
  pointCursors,
  pointPaceOf,
  readPoints,
  writePoints,
} from './points.ts'
export { reachOf } from './reach.ts'
export {
  type JobRun,
  poolProblemsOf,
  type QueueFacts,
  queueReasons,
  runOf,
  whyQueued,
} from './why.ts'
