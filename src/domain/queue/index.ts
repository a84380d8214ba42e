export { compareQueued, isAged, type Queued, startTag, waitingSince } from './order.ts'
export {
  type ForgeLimit,
  forgeLimitOf,
  leaseMs,
  type PointPace,
  pointCursor,
  pointCursors,
  pointPaceOf,
  readPoints,
  writePoints,
} from './points.ts'
export { type Reach, reachOf } from './reach.ts'
export {
  type JobRun,
  type QueueAnswer,
  type QueueFacts,
  type QueueReason,
  queueReasons,
  runOf,
  whyQueued,
} from './why.ts'
