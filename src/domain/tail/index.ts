export { lookBehindBytes, newestText, renderTail, type TailBounds } from './tail.ts'
