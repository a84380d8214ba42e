import { isJobPod, isManager } from '../../domain/gitlab/index.ts'
import type { GitlabTokenFacts, ManagerPod, ManagerReading, Remedy } from '../../domain/remedy/index.ts'
import { keyOf, type PodFact } from '../../domain/snapshot/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitlabApi, StoredTokens } from '../../ports/gitlab.ts'
import type { RemedyCredentials } from '../../ports/remedy-credentials.ts'
import type { RemedyManagers } from '../../ports/remedy-managers.ts'
import type { RemedySecrets } from '../../ports/remedy-secrets.ts'
import type { Treatment } from '../treatment.ts'

/** The sources of `fix gitlab-token`. */
export interface ManagerSources {
  readonly managers: RemedyManagers
  readonly secrets: Pick<RemedySecrets, 'readSecret' | 'listPods'>
  readonly credentials: Pick<RemedyCredentials, 'readLog'>
  readonly tokens: StoredTokens
  readonly gitlab: Pick<GitlabApi, 'readRunner' | 'runningJobs'>
}

type Target = GitlabTokenFacts['plan']['objects'][number]

/** `fix gitlab-token`: one Deployment is restarted by its pod template. */
export function gitlabTokenTreatment(
  remedy: Remedy<GitlabTokenFacts>,
  sources: ManagerSources & { readonly clock: Pick<Clock, 'now'> },
): Treatment<GitlabTokenFacts> {
  const { managers, secrets, tokens, gitlab, clock } = sources
  const readAfter = async (planned: Target, signal: AbortSignal) => ({
    runner: await gitlab.readRunner(planned.runnerId, signal),
    ...(await readManager(planned, await secrets.listPods(planned.namespace, signal), sources, signal)),
  })
  return {
    remedy,
    async readFresh(planned, signal) {
      const gitlabAt = clock.now()
      const tokenOf = await tokens.runnerOf(planned.secret, planned.secretKey, signal)
      const runningJobs = await gitlab.runningJobs(planned.runnerId, signal)
      const clusterAt = clock.now()
      const elsewhere = planned.jobNamespaces.filter((each) => each !== planned.namespace)
      const others = await Promise.all(elsewhere.map((each) => secrets.listPods(each, signal)))
      const own = await secrets.listPods(planned.namespace, signal)
      const jobPods = [...own, ...others.flat()].filter((pod) => isJobPod(pod) && isLive(pod))
      const manager = await readManager(planned, own, sources, signal)
      return { sources: { gitlab: gitlabAt, cluster: clusterAt }, tokenOf, runningJobs, jobPods, ...manager }
    },
    async act({ namespace, name, uid, resourceVersion, mark }, signal) {
      const answer = await managers.restart({ namespace, name, uid, resourceVersion }, mark, signal)
      return answer === 'restarted' ? 'done' : answer
    },
    async isDone({ namespace, name, uid, mark }, signal) {
      const found = await managers.readDeployment({ namespace, name }, signal)
      return found?.uid === uid && found.mark === mark
    },
    readAfter,
    ends: ({ objects }) =>
      objects.map((each) => ({ subject: keyOf(each), read: (signal) => readAfter(each, signal) })),
    texts: {
      toDo: ({ uid, resourceVersion }) =>
        `to be restarted now, by uid ${uid} and resourceVersion ${resourceVersion}`,
      done: 'the cluster took it on',
      verified: 'its new process is online at GitLab',
      proven: 'the manager is online at GitLab, with the token of its Secret',
    },
  }
}

/** The Deployment, its Secret, and its pods with their logs. */
async function readManager(
  { namespace, name, secret }: Target,
  pods: readonly PodFact[],
  { managers, secrets, credentials }: ManagerSources,
  signal: AbortSignal,
): Promise<ManagerReading> {
  const found = await secrets.readSecret({ namespace: secret.namespace, name: secret.name }, '', signal)
  const deployment = await managers.readDeployment({ namespace, name }, signal)
  const selector = Object.entries(deployment?.selector ?? {})
  const own = pods.filter(
    (pod) =>
      selector.length > 0 &&
      selector.every(([key, value]) => pod.labels[key] === value) &&
      isManager(pod.containers.map(({ image }) => image)) &&
      isLive(pod),
  )
  const read: ManagerPod[] = []
  for (const pod of own) {
    const container = pod.statuses.find(({ state }) => state?.kind === 'running')?.name
    const order = { namespace, name: pod.name, container: container ?? '' }
    read.push({ pod, lines: container === undefined ? [] : await credentials.readLog(order, signal) })
  }
  return { deployment, secret: found, managers: read }
}

function isLive({ phase, deletedAt }: PodFact): boolean {
  return phase !== 'Succeeded' && phase !== 'Failed' && deletedAt === null
}
