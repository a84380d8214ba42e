import type { Reads } from '../core/index.ts'
import type { Engine } from './engine.ts'
import type { Faults } from './faults.ts'

/** What one call reads: the truth, or what a replica has of it that is behind. */
export function createReader(engine: Engine, faults: Faults): () => Reads {
  return () => {
    const lagMs = faults.nextLagMs()
    return engine.run((core) => (lagMs === 0 ? core : core.past(lagMs)))
  }
}
