export type { Part, StartPart } from './parts.ts'
export { runParts } from './run.ts'
export { type StopEvent, stopEventsOf } from './stop-events.ts'
export { createTasks, type TrackedTasks } from './tasks.ts'
