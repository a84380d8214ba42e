import type { NodeUsageFact } from '../../snapshot/index.ts'
import type { Reading } from './reading.ts'

/** Two readings that are closer say nothing about a rate. */
const apartMsMin = 60_000

export interface Runway {
  readonly reading: Reading
  readonly ms: number
}

/** How long each filesystem of a node lasts at the rate between two readings; empty where it does not fill. Null: no rate. */
export function runwaysOf(
  now: { readonly usage: NodeUsageFact; readonly readings: readonly Reading[] },
  before: { readonly usage: NodeUsageFact; readonly readings: readonly Reading[] } | null,
): readonly Runway[] | null {
  const apartMs = before === null ? 0 : now.usage.at - before.usage.at
  if (before === null || apartMs < apartMsMin) return null
  return now.readings.flatMap((reading) => {
    const earlier = before.readings.find(
      ({ filesystem, unit, capacity }) =>
        filesystem === reading.filesystem && unit === reading.unit && capacity === reading.capacity,
    )
    const filled = earlier === undefined ? 0 : earlier.available - reading.available
    return filled > 0 ? [{ reading, ms: (Math.max(0, reading.headroom) * apartMs) / filled }] : []
  })
}
