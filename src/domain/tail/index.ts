export { LOOK_BEHIND_BYTES, newestText, renderTail, type TailBounds } from './tail.ts'
