import type { RemedyOrder, RemedyReport, SetsChoice } from '../../../cli/index.ts'
import type { ObjectRef } from '../../../domain/snapshot/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { Planned, RemedyDeps, RunnerSources, Treatment } from '../../../remedy/index.ts'
import { runRemedy, type StoredFacts } from './run-remedy.ts'
import { openRunnerSources } from './sources.ts'

/** A remedy of runners: how it treats them, and how it plans for some sets. */
interface RunnerRemedy<F extends StoredFacts> {
  treatment(sources: RunnerSources): Treatment<F>
  plan(sets: readonly ObjectRef[], deps: RemedyDeps & RunnerSources): Promise<Planned<F>>
}

/** Runs a remedy that needs cluster and forge, on the sets that were named or those that there are. */
export function runOnRunners<F extends StoredFacts>(
  config: Config,
  order: RemedyOrder & { readonly scope: SetsChoice },
  { treatment, plan }: RunnerRemedy<F>,
  signal: AbortSignal,
): Promise<RemedyReport> {
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, ...sources } = await openRunnerSources(base, order, stack)
      return {
        site,
        treatment: treatment(sources),
        async plan(deps) {
          const { sets, namespaces } = order.scope
          const chosen = sets ?? (await sources.cluster.listSets(namespaces, signal))
          return plan(chosen, { ...deps, ...sources })
        },
      }
    },
    signal,
  )
}
