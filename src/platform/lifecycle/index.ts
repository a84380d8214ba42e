export type { Part, Stop } from './parts.ts'
export { type RunDeps, runParts } from './run.ts'
export { type StopEvent, type StopEvents, stopEventsOf } from './stop-events.ts'
export { createTasks, type TaskDeps, type TrackedTasks } from './tasks.ts'
