export { entryAt, isTime, type TimelineEntry, type TimelineSource, timelineSources } from './entry.ts'
export { newestEntries } from './newest.ts'
export {
  conditionEntries,
  containerEndText,
  containerEntries,
  endingEntries,
  eventEntries,
  eventName,
  howEnded,
  isBadCondition,
  nodeConditionText,
} from './of-ending.ts'
export { beganEntries, overEntries, queuedEntries } from './of-job.ts'
export { failedPodText, objectEntries } from './of-object.ts'
