import { type Cluster, up } from '../../cluster/index.ts'
import { until } from '../../cluster/machine/until.ts'
import { suiteName } from '../../cluster/testing/names.ts'
import { makeNamespace, tearNamespace } from '../../cluster/testing/namespaces.ts'
import { openShared } from '../../cluster/testing/shared.ts'
import { containerProcesses } from '../../deaths/host-side.ts'
import type { GitlabBinaries } from '../binaries/build.ts'
import { type GitlabStandIn, openGitlab, type StandInJob } from '../stand-in/gitlab.ts'
import { configToml } from './config.ts'
import { gitlabImages } from './images.ts'
import { managerObjects } from './objects.ts'

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
export type Json = any

export const namespace = 'gitlab-ci'
const startedWithinMs = 60_000
const mergePatch = 'application/merge-patch+json'
const pods = `/api/v1/namespaces/${namespace}/pods`

/** A cluster with a real manager of GitLab Runner, whose GitLab is a stand-in. */
export interface Stage extends AsyncDisposable {
  readonly cluster: Cluster
  readonly gitlab: GitlabStandIn
  readonly binaries: GitlabBinaries
  /** The manager's file. */
  readonly config: string
  /** The pod of a job, as soon as there is one and as soon as it is so. */
  podThat(job: StandInJob, what: string, is: (pod: Json) => boolean): Promise<Json>
  /** Keeps the pod of a job in the cluster after its deletion, so that its end can be read. */
  hold(pod: Json): Promise<void>
  /** SIGKILL to the manager's process; resolves when its container runs again. */
  killManager(): Promise<void>
}

export async function openStage(
  binaries: GitlabBinaries,
  busybox: string,
  say: (line: string) => void,
): Promise<Stage> {
  const opened = new AsyncDisposableStack()
  const shared = await openShared(1, 0)
  const cluster = shared ?? opened.use(await up({ name: suiteName('gitlab'), nodes: 1 }, say))
  if (shared !== null) opened.defer(() => shared.close())
  const gitlab = opened.use(await openGitlab())
  for (const image of await gitlabImages(binaries, busybox)) await cluster.load(image)
  await makeNamespace(cluster, namespace)
  opened.defer(() => tearNamespace(cluster, namespace))
  const config = configToml(`http://${await cluster.expose(gitlab.port)}`, namespace)
  for (const [where, object] of managerObjects(namespace, config)) {
    const { status, text } = await cluster.api.request('POST', where, object)
    if (status !== 201) throw new Error(`${where}: ${status} ${text}`)
  }
  await managerThat(cluster, 'runs', () => true)
  return {
    cluster,
    gitlab,
    binaries,
    config,
    podThat: (job, what, is) => podThat(cluster, job, what, is),
    async hold({ metadata: { name } }) {
      const patch = { metadata: { finalizers: ['holdfast.test/read-first'] } }
      const { status, text } = await cluster.api.request('PATCH', `${pods}/${name}`, patch, mergePatch)
      if (status !== 200) throw new Error(`${name} is not held: ${status} ${text}`)
    },
    killManager: () => killManager(cluster),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function killManager(cluster: Cluster): Promise<void> {
  const before = await managerThat(cluster, 'runs', () => true)
  const { init } = await containerProcesses(before.containerID)
  process.kill(init, 'SIGKILL')
  await managerThat(cluster, 'runs again', ({ containerID }) => containerID !== before.containerID)
}

/** The status of the manager's container, once it runs and is so. */
function managerThat({ api }: Cluster, what: string, is: (status: Json) => boolean): Promise<Json> {
  return until(`the manager ${what}`, startedWithinMs, async () => {
    const { body } = await api.request('GET', `${pods}?labelSelector=app%3Dgitlab-runner`)
    const status = body.items[0]?.status.containerStatuses?.[0]
    return status?.state.running !== undefined && is(status) ? status : null
  })
}

function podThat(
  { api }: Cluster,
  { id, order }: StandInJob,
  what: string,
  is: (pod: Json) => boolean,
): Promise<Json> {
  return until(`the pod of job ${id} (${order.name}) ${what}`, startedWithinMs, async () => {
    const { body } = await api.request('GET', pods)
    return body.items.find(
      (pod: Json) => pod.metadata.annotations?.['job.runner.gitlab.com/id'] === `${id}` && is(pod),
    )
  })
}

/** Whether a container of a pod is in this state. */
export function containerIs(name: string, state: 'running' | 'terminated') {
  return ({ status }: Json): boolean =>
    status.containerStatuses?.some((each: Json) => each.name === name && each.state[state] !== undefined) ===
    true
}
