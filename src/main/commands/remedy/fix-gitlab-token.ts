import { createGitlabApi } from '../../../adapters/gitlab/index.ts'
import {
  createRemedyCredentials,
  createRemedyManagers,
  createRemedySecrets,
  createSecretValues,
} from '../../../adapters/kubernetes/index.ts'
import type { FixOrder, RemedyReport } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { gitlabToken } from '../../../domain/remedy/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import { gitlabTokenTreatment, type ManagerSources, planGitlabToken } from '../../../remedy/index.ts'
import { runRemedy } from './run-remedy.ts'
import { openCluster } from './sources.ts'

type Order = Extract<FixOrder, { readonly remedy: 'gitlab-token' }>

/** Plans the restart of one manager, or applies a plan of it. Without a token of GitLab nothing is opened. */
export function fixGitlabToken(config: Config, order: Order, signal: AbortSignal): Promise<RemedyReport> {
  const { url, token } = config.gitlab
  if (token === undefined) throw new HoldfastError('E_REMEDY_GITLAB', {})
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, cluster } = await openCluster(base, order, stack)
      const gitlab = createGitlabApi({ url, token, clock: base.clock })
      const values = createSecretValues(cluster)
      const sources: ManagerSources = {
        managers: createRemedyManagers(cluster),
        secrets: createRemedySecrets(cluster),
        credentials: createRemedyCredentials(cluster),
        gitlab,
        tokens: {
          async runnerOf(secret, key, aborted) {
            const value = await values.read(secret, key, aborted)
            return value === null || value === '' ? null : gitlab.runnerOfToken(value, aborted)
          },
        },
      }
      return {
        site,
        treatment: gitlabTokenTreatment(gitlabToken, { ...sources, clock: base.clock }),
        plan(deps) {
          if (order.scope === null) throw new HoldfastError('E_BUG', { what: 'a plan without a manager' })
          return planGitlabToken(gitlabToken, order.scope, { ...deps, ...sources }, signal)
        },
      }
    },
    signal,
  )
}
