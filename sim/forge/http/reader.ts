import type { Reads } from '../core/index.ts'
import type { Engine } from './engine.ts'
import type { Faults } from './faults.ts'

/** The view that one call reads: the truth, or that of a replica that lags by at least so much. */
export function createReader(engine: Engine, faults: Faults, leastMs = () => 0): () => Reads {
  return () => {
    const lagMs = Math.max(faults.nextLagMs(), leastMs())
    return engine.run((core) => (lagMs === 0 ? core : core.past(lagMs)))
  }
}
