import type { FixOrder, RemedyOrder, RemedyReport, SetsChoice } from '../../../cli/index.ts'
import {
  failedRunners,
  gitlabOrphans,
  handoff,
  listenerBlocker,
  pullSecrets,
  secretDrift,
} from '../../../domain/remedy/index.ts'
import type { ObjectRef } from '../../../domain/snapshot/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import {
  type CredentialSources,
  failedRunnersTreatment,
  gitlabOrphansTreatment,
  handoffTreatment,
  listenerBlockerTreatment,
  type Planned,
  planFailedRunners,
  planGitlabOrphans,
  planHandoff,
  planListenerBlocker,
  planPullSecrets,
  planSecretDrift,
  pullSecretsTreatment,
  type RemedyDeps,
  secretDriftTreatment,
  type Treatment,
} from '../../../remedy/index.ts'
import { fixAppCredentials } from './fix-app-credentials.ts'
import { fixOutdated, fixStuckFinalizers } from './fix-arc-states.ts'
import { fixGitlabToken } from './fix-gitlab-token.ts'
import { fixRetryProof } from './fix-retry-proof.ts'
import { runOnRunners } from './run-on-runners.ts'
import { runRemedy, type StoredFacts } from './run-remedy.ts'
import { openGitlabSources, openSecretSources } from './sources.ts'

/** Plans one fix, or applies a plan of it. */
export async function fix(config: Config, order: FixOrder, signal: AbortSignal): Promise<RemedyReport> {
  switch (order.remedy) {
    case 'failed-runners':
      return fixFailedRunners(config, order, signal)
    case 'handoff':
      return fixHandoff(config, order, signal)
    case 'listener-blocker':
      return fixListenerBlocker(config, order, signal)
    case 'pull-secrets':
      return fixSecrets(config, order, signal, {
        treatment: (sources) => pullSecretsTreatment(pullSecrets, sources),
        plan: (sets, deps) => planPullSecrets(pullSecrets, { sets }, deps, signal),
      })
    case 'secret-drift':
      return fixSecrets(config, order, signal, {
        treatment: (sources) => secretDriftTreatment(secretDrift, sources),
        plan: (sets, deps) => planSecretDrift(secretDrift, { sets }, deps, signal),
      })
    case 'credentials':
      return fixAppCredentials(config, order, signal)
    case 'gitlab-orphans':
      return fixGitlabOrphans(config, order, signal)
    case 'outdated':
      return fixOutdated(config, order, signal)
    case 'stuck-finalizers':
      return fixStuckFinalizers(config, order, signal)
    case 'retry-proof':
      return fixRetryProof(config, order, signal)
    case 'gitlab-token':
      return fixGitlabToken(config, order, signal)
  }
}

type SetsOrder = RemedyOrder & { readonly scope: SetsChoice }

function fixFailedRunners(config: Config, order: SetsOrder, signal: AbortSignal) {
  return runOnRunners(
    config,
    order,
    {
      treatment: (sources) => failedRunnersTreatment(failedRunners, sources),
      plan: (sets, deps) => planFailedRunners(failedRunners, { sets }, deps, signal),
    },
    signal,
  )
}

function fixHandoff(
  config: Config,
  order: Extract<FixOrder, { readonly remedy: 'handoff' }>,
  signal: AbortSignal,
) {
  const { repository, minWaitMs, withoutWorker } = order.scope
  return runOnRunners(
    config,
    order,
    {
      treatment: (sources) => handoffTreatment(handoff, sources),
      plan: (sets, deps) =>
        planHandoff(handoff, { sets, repository, minWaitMs, withoutWorker }, deps, signal),
    },
    signal,
  )
}

function fixListenerBlocker(config: Config, order: SetsOrder, signal: AbortSignal) {
  return runOnRunners(
    config,
    order,
    {
      treatment: (sources) => listenerBlockerTreatment(listenerBlocker, sources),
      plan: (sets, deps) => planListenerBlocker(listenerBlocker, { sets }, deps, signal),
    },
    signal,
  )
}

interface SecretsRemedy<F extends StoredFacts> {
  treatment(sources: CredentialSources & Pick<RemedyDeps, 'clock'>): Treatment<F>
  plan(sets: readonly ObjectRef[], deps: RemedyDeps & CredentialSources): Promise<Planned<F>>
}

/** No job runs in a listener: the forge is not asked, and needs no credential. */
function fixSecrets<F extends StoredFacts>(
  config: Config,
  order: SetsOrder,
  signal: AbortSignal,
  { treatment, plan }: SecretsRemedy<F>,
) {
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, ...sources } = await openSecretSources(base, order, stack)
      return {
        site,
        treatment: treatment({ ...sources, clock: base.clock }),
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

function fixGitlabOrphans(
  config: Config,
  order: Extract<FixOrder, { readonly remedy: 'gitlab-orphans' }>,
  signal: AbortSignal,
) {
  return runRemedy(
    config,
    order,
    async (base, stack) => {
      const { site, ...sources } = await openGitlabSources(base, order, stack)
      return {
        site,
        treatment: gitlabOrphansTreatment(gitlabOrphans, sources),
        plan: (deps) => planGitlabOrphans(gitlabOrphans, order.scope, { ...deps, ...sources }, signal),
      }
    },
    signal,
  )
}
