import type { FixOrder, RemedyReport } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { retryProof } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import { planRetryProof, retryProofTreatment } from '../../../remedy/index.ts'
import { loadForgeModule } from '../../forge/index.ts'
import { runRemedy } from './run-remedy.ts'

/** Plans the one retry of a platform proof, or applies its plan. No cluster is asked: its site is the forge. */
export function fixRetryProof(
  config: Config,
  order: Extract<FixOrder, { readonly remedy: 'retry-proof' }>,
  signal: AbortSignal,
): Promise<RemedyReport> {
  return runRemedy(
    config,
    order,
    async (base, stack, trail) => {
      const { openProofForge } = await loadForgeModule(base.config.forge.kind)
      const opened = openProofForge(base)
      if (opened === null) throw new HoldfastError('E_REMEDY_FORGE', {})
      const { host, forge, installation } = stack.use(opened)
      return {
        site: host,
        treatment: retryProofTreatment(retryProof, { forge, installation, trail, clock: base.clock }),
        async plan(deps) {
          if (order.scope === null) throw new HoldfastError('E_BUG', { what: 'a plan without its job' })
          return planRetryProof(retryProof, order.scope, { ...deps, forge, installation }, signal)
        },
      }
    },
    signal,
  )
}
