import type { ReapOrder, RemedyReport } from '../../../cli/index.ts'
import { reap as remedy } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import { planReap, reapTreatment } from '../../../remedy/index.ts'
import { runOnRunners } from './run-on-runners.ts'

/** Plans the removal of idle runners, or applies a plan of it. */
export async function reap(config: Config, order: ReapOrder, signal: AbortSignal): Promise<RemedyReport> {
  const { isStaleGeneration, minAgeMs } = order.scope
  return runOnRunners(
    config,
    order,
    {
      treatment: (sources) => reapTreatment(remedy, sources),
      plan: (sets, deps) => planReap(remedy, { sets, isStaleGeneration, minAgeMs }, deps, signal),
    },
    signal,
  )
}
