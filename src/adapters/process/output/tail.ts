import { lookBehindBytes, renderTail as render } from '../../../domain/tail/index.ts'
import type { Ring } from './ring.ts'

export const tailLinesMax = 200
export const tailBytesMax = 64 * 1024
/** The capacity of the ring behind a tail. */
export const tailRingBytes = tailBytesMax + lookBehindBytes

/** The newest lines of an output: whole characters only, secrets masked, bounded, cut at the old end. */
export function renderTail(ring: Ring): string {
  const { bytes, cut } = ring.read()
  return render(bytes, cut, { linesMax: tailLinesMax, bytesMax: tailBytesMax })
}
