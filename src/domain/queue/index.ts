export { compareQueued, isAged, type Queued, startTag, waitingSince } from './order.ts'
export { type QueueAnswer, type QueueFacts, type QueueReason, whyQueued } from './why.ts'
