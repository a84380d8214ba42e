import type { Reads } from '../core/index.ts'
import type { Engine } from './engine.ts'
import type { Faults } from './faults.ts'

/** What one call reads: the truth, or what a replica has of it that is behind, by so much at least. */
export function createReader(engine: Engine, faults: Faults, leastMs = () => 0): () => Reads {
  return () => {
    const lagMs = Math.max(faults.nextLagMs(), leastMs())
    return engine.run((core) => (lagMs === 0 ? core : core.past(lagMs)))
  }
}
