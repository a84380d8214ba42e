import type { FixOrder } from '../../../cli/index.ts'
import { outdated, stuckFinalizers } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import {
  outdatedTreatment,
  planOutdated,
  planStuckFinalizers,
  stuckFinalizersTreatment,
} from '../../../remedy/index.ts'
import { runRemedy } from './run-remedy.ts'
import { openOutdatedSources, openStuckSources } from './sources.ts'

/** A set that was taken down has no runner: the forge is not asked, and needs no credential. */
export function fixOutdated(
  config: Config,
  order: Extract<FixOrder, { readonly remedy: 'outdated' }>,
  signal: AbortSignal,
) {
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, ...sources } = await openOutdatedSources(base, order, stack)
      return {
        site,
        treatment: outdatedTreatment(outdated, sources),
        async plan(deps) {
          const { sets, namespaces, renewed } = order.scope
          const chosen = sets ?? (await sources.cluster.listSets(namespaces, signal))
          return planOutdated(outdated, { sets: chosen, renewed }, { ...deps, ...sources }, signal)
        },
      }
    },
    signal,
  )
}

/** Deleted runners that a dead credential holds. */
export function fixStuckFinalizers(
  config: Config,
  order: Extract<FixOrder, { readonly remedy: 'stuck-finalizers' }>,
  signal: AbortSignal,
) {
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, ...sources } = await openStuckSources(base, order, stack)
      return {
        site,
        treatment: stuckFinalizersTreatment(stuckFinalizers, { ...sources, clock: base.clock }),
        async plan(deps) {
          const { sets, namespaces, minAgeMs } = order.scope
          const chosen = sets ?? (await sources.cluster.listSets(namespaces, signal))
          const scope = { sets: chosen, minAgeMs }
          return planStuckFinalizers(stuckFinalizers, scope, { ...deps, ...sources }, signal)
        },
      }
    },
    signal,
  )
}
