import fc from 'fast-check'
import type {
  ClusterFacts,
  CredentialKind,
  ForgeFacts,
  ForgeJobFact,
  RunnerFact,
  SecretFact,
  Snapshot,
} from '../../../src/domain/snapshot/index.ts'
import { listed, snapshotOf } from '../../../src/domain/snapshot/testing/facts.ts'
import { arcFacts } from './arbitrary-arc.ts'
import { forgeFacts } from './arbitrary-forge.ts'
import { gitlabFacts } from './arbitrary-gitlab.ts'
import { nodeFacts } from './arbitrary-nodes.ts'
import { podFacts } from './arbitrary-pods.ts'

/**
 * Fleets in every state, most of them broken: few names, so that sets, runners, pods, jobs and nodes often belong together,
 * and the texts by which audits know a cause.
 */
export function snapshots(): fc.Arbitrary<Snapshot> {
  return fc
    .record({ ...arcFacts, ...podFacts, ...nodeFacts, ...forgeFacts, gitlab: gitlabFacts })
    .map(({ forgeRunners, jobs, jobLogs, budgets, gitlab, ...cluster }) =>
      snapshotOf({
        cluster: listings(
          joined({ ...cluster, ...logsByReader(cluster.logs) }, gitlab),
        ) as Partial<ClusterFacts>,
        forge: listings({
          runners: forgeRunners,
          jobs: jobs.map((job) => ({ ...job, ...ownJobOf(job, cluster.runners) })),
          logs: jobLogs,
          budgets: budgets.map((budget) => ({ ...budget, kind: kindOf(budget, cluster.secrets) })),
        }) as Partial<ForgeFacts>,
      }),
    )
}

/** Logs of runners are a list of their own. */
function logsByReader<T extends { readonly role: string }>(logs: readonly T[]) {
  const isRunners = ({ role }: T) => role === 'runner'
  return { logs: logs.filter((log) => !isRunners(log)), runnerLogs: logs.filter(isRunners) }
}

/** Cluster and forge do not contradict each other: a runner's own object names the job that the forge names. */
function ownJobOf(
  { runnerName }: ForgeJobFact,
  runners: readonly RunnerFact[],
): { readonly repository?: string; readonly runId?: number } {
  const { repository, runId } = runners.find(({ name }) => name === runnerName)?.job ?? {}
  return { ...(repository && { repository }), ...(runId && { runId }) }
}

/** The reader of budgets knows a credential by the keys of its Secret. */
function kindOf(
  { credential, kind }: { readonly credential: string; readonly kind: CredentialKind },
  secrets: readonly SecretFact[],
): CredentialKind {
  const secret = secrets.find(({ namespace, name }) => `${namespace}/${name}` === credential)
  if (secret === undefined) return kind
  return secret.keys.some(({ name }) => name === 'github_token') ? 'personal-token' : 'app'
}

/** The lists of both, each list with the items of both. */
function joined(
  one: Readonly<Record<string, readonly unknown[]>>,
  other: Readonly<Record<string, readonly unknown[]>>,
): Readonly<Record<string, readonly unknown[]>> {
  const more = Object.entries(other).map(([kind, items]) => [kind, [...(one[kind] ?? []), ...items]])
  return { ...one, ...Object.fromEntries(more) }
}

function listings(lists: Readonly<Record<string, readonly unknown[]>>): unknown {
  return Object.fromEntries(Object.entries(lists).map(([kind, items]) => [kind, listed(items)]))
}
