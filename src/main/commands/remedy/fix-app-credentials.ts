import type { FixOrder } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { appCredentials } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import { appCredentialsTreatment, planAppCredentials } from '../../../remedy/index.ts'
import { runRemedy } from './run-remedy.ts'
import { openAppSources } from './sources.ts'

/** An App instead of a token: the forge is asked with the App itself. */
export function fixAppCredentials(
  config: Config,
  order: Extract<FixOrder, { readonly remedy: 'credentials' }>,
  signal: AbortSignal,
) {
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, ...sources } = await openAppSources(base, order, stack)
      return {
        site,
        treatment: appCredentialsTreatment(appCredentials, { ...sources, clock: base.clock }),
        plan(deps) {
          if (order.scope === null) throw new HoldfastError('E_BUG', { what: 'a plan without a set' })
          const scope = { ...order.scope, listenerNamespace: order.controllerNamespace }
          return planAppCredentials(appCredentials, scope, { ...deps, ...sources }, signal)
        },
      }
    },
    signal,
  )
}
