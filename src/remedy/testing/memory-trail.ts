import type { Digest } from '../../domain/canonical-json.ts'
import { chained, headOf, type TrailRow } from '../../domain/trail/index.ts'
import type { Trail } from '../../ports/trail.ts'

export interface MemoryTrail extends Trail {
  readonly kept: readonly TrailRow[]
}

/** For tests: the twin of the trail in a file. */
export function memoryTrail(digest: Digest): MemoryTrail {
  const kept: TrailRow[] = []
  return {
    kept,
    async append(entry) {
      const row = chained(entry, headOf(kept), digest)
      kept.push(row)
      return row
    },
    rows: async () => [...kept],
    head: async () => headOf(kept),
  }
}
