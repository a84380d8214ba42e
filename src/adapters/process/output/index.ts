export { createRing, type Ring } from './ring.ts'
export { renderTail, tailBytesMax, tailLinesMax, tailRingBytes } from './tail.ts'
