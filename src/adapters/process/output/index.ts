export { createRing, type Ring } from './ring.ts'
export { renderTail, TAIL_BYTES_MAX, TAIL_LINES_MAX, TAIL_RING_BYTES } from './tail.ts'
