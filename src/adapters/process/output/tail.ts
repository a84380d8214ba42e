import { LOOK_BEHIND_BYTES, renderTail as render } from '../../../domain/tail/index.ts'
import type { Ring } from './ring.ts'

export const TAIL_LINES_MAX = 200
export const TAIL_BYTES_MAX = 64 * 1024
/** What the ring behind a tail has to hold. */
export const TAIL_RING_BYTES = TAIL_BYTES_MAX + LOOK_BEHIND_BYTES

/** The newest lines of an output: whole characters only, secrets masked, bounded, cut at the old end. */
export function renderTail(ring: Ring): string {
  const { bytes, cut } = ring.read()
  return render(bytes, cut, { linesMax: TAIL_LINES_MAX, bytesMax: TAIL_BYTES_MAX })
}
