import { loopNames } from '../../control/index.ts'
import { routePatterns } from '../../http/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { createMetrics, firstSeen, type ServedMetrics } from '../../platform/metrics/index.ts'

/** Pools declared at run time that get metric series of their own. */
const poolsShownMax = 200

/** The program's metrics, with all values that their labels may have. */
export function metricsOf({ fleet, pools }: Config): ServedMetrics {
  return createMetrics({
    sets: {
      pools: fleet.kind === 'local' ? pools.map(({ name }) => name) : firstSeen(poolsShownMax),
      routes: routePatterns,
      tasks: [...loopNames, 'keys'],
    },
    ofProcess: true,
  })
}
