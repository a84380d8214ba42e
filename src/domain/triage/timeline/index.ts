export { type CaseTimeline, timelineOf } from './timeline.ts'
