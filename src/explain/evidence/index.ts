export { type Item, item } from './item.ts'
export { endingItems } from './of-ending.ts'
export { attemptItems, forgeItems } from './of-job.ts'
export { ringItems } from './of-ring.ts'
