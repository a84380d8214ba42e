export { captureEnding } from './capture-ending.ts'
export { capturePod, readOptional } from './capture-pod.ts'
export { eventsIn } from './end-events.ts'
export { evidenceOf } from './evidence-plan.ts'
