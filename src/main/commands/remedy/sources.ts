import { createGitlabJobs } from '../../../adapters/gitlab/index.ts'
import {
  type Cluster,
  createArcNudges,
  createCluster,
  createProbes,
  createRemedyCluster,
  createRemedyCredentials,
  createRemedyPods,
  createRemedySecrets,
  createStoredCredentials,
  findConnection,
  readControllerLog,
} from '../../../adapters/kubernetes/index.ts'
import type { RemedyOrder } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Probes } from '../../../ports/probes.ts'
import type { RemedyForge } from '../../../ports/remedy.ts'
import type {
  AppSources,
  CredentialSources,
  GitlabSources,
  OutdatedSources,
  RunnerSources,
  StuckSources,
} from '../../../remedy/index.ts'
import type { Base } from '../../base.ts'
import { loadForgeModule } from '../../forge/index.ts'
import { silentLog as log } from '../silent-log.ts'
import { createAsker } from './ask-credential.ts'

type Connecting = Pick<RemedyOrder, 'kubeconfig' | 'context' | 'controllerNamespace'>

/** Cluster and forge for a remedy of runners; closed with the stack. Without a forge nothing is opened. */
export async function openRunnerSources(
  base: Base,
  order: Connecting,
  stack: AsyncDisposableStack,
): Promise<RunnerSources & { readonly site: string }> {
  const forge = await openForge(base, stack)
  const { site, cluster } = await openCluster(base, order, stack)
  const { controllerNamespace } = order
  return { site, cluster: createRemedyCluster({ cluster, clock: base.clock, controllerNamespace }), forge }
}

async function openForge(base: Base, stack: AsyncDisposableStack): Promise<RemedyForge> {
  const { openRemedyForge } = await loadForgeModule(base.config.forge.kind)
  const forge = openRemedyForge(base)
  if (forge === null) throw new HoldfastError('E_REMEDY_FORGE', {})
  return stack.use(forge)
}

/** The cluster with its Secrets, for a remedy that needs no forge; closed with the stack. */
export async function openSecretSources(
  base: Base,
  order: Connecting,
  stack: AsyncDisposableStack,
): Promise<CredentialSources & { readonly site: string }> {
  const { site, cluster } = await openCluster(base, order, stack)
  return { site, ...secretSources(cluster, base, order) }
}

function secretSources(
  cluster: Cluster,
  { clock }: Base,
  { controllerNamespace }: Connecting,
): CredentialSources {
  return {
    cluster: createRemedyCluster({ cluster, clock, controllerNamespace }),
    secrets: createRemedySecrets(cluster),
    credentials: createRemedyCredentials(cluster),
  }
}

/** The cluster with its Secrets, and the forge by the credential of one of them; closed with the stack. Without a forge nothing is opened. */
export async function openAppSources(
  base: Base,
  order: Connecting,
  stack: AsyncDisposableStack,
): Promise<AppSources & { readonly site: string }> {
  // The settings say which forge there is.
  await openForge(base, stack)
  const { site, cluster } = await openCluster(base, order, stack)
  const ask = await createAsker(base, createStoredCredentials(cluster))
  return { site, ...secretSources(cluster, base, order), credential: { ask } }
}

/** The pods of a cluster and, where one is named, a GitLab; closed with the stack. */
export async function openGitlabSources(
  base: Base,
  order: Connecting & { readonly scope: { readonly gitlab: string | null } },
  stack: AsyncDisposableStack,
): Promise<GitlabSources & { readonly site: string }> {
  const { clock, config } = base
  const { token } = config.gitlab
  const { gitlab: url } = order.scope
  if (url !== null && token === undefined) throw new HoldfastError('E_REMEDY_GITLAB', {})
  const { site, cluster } = await openCluster(base, order, stack)
  return {
    site,
    pods: createRemedyPods(cluster, clock),
    gitlab: url === null || token === undefined ? null : createGitlabJobs({ url, token, clock }),
  }
}

/** The cluster and writes to the status of its sets, for a remedy that needs no forge; closed with the stack. */
export async function openOutdatedSources(
  base: Base,
  order: Connecting,
  stack: AsyncDisposableStack,
): Promise<OutdatedSources & { readonly site: string }> {
  const { site, cluster } = await openCluster(base, order, stack)
  const { controllerNamespace } = order
  return {
    site,
    cluster: createRemedyCluster({ cluster, clock: base.clock, controllerNamespace }),
    nudges: createArcNudges(cluster),
  }
}

/** Cluster and forge, and ARC's own log and credential; closed with the stack. */
export async function openStuckSources(
  base: Base,
  order: Connecting,
  stack: AsyncDisposableStack,
): Promise<StuckSources & { readonly site: string }> {
  const sources = await openRunnerSources(base, order, stack)
  const { cluster } = await openCluster(base, order, stack)
  const ask = await createAsker(base, createStoredCredentials(cluster))
  const { controllerNamespace } = order
  return {
    ...sources,
    nudges: createArcNudges(cluster),
    credential: {
      ask,
      readControllerLog: (signal) => readControllerLog(cluster, controllerNamespace, signal),
    },
  }
}

/** The cluster with the pods of probes; closed with the stack. */
export async function openProbes(
  base: Base,
  order: Omit<Connecting, 'controllerNamespace'>,
  stack: AsyncDisposableStack,
): Promise<{ readonly site: string; readonly probes: Probes }> {
  const { site, cluster } = await openCluster(base, order, stack)
  return { site, probes: createProbes(cluster) }
}

/** The cluster alone; closed with the stack. */
export async function openCluster(
  { clock, entropy }: Base,
  { kubeconfig, context }: Omit<Connecting, 'controllerNamespace'>,
  stack: AsyncDisposableStack,
): Promise<{ readonly site: string; readonly cluster: Cluster }> {
  const connection = await findConnection({ kubeconfig, context, env: process.env, clock, log })
  const cluster = createCluster({ connection, clock, entropy, log })
  stack.defer(() => cluster.close())
  return { site: new URL(connection.server).host, cluster }
}
