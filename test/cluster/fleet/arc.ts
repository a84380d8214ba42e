import { readFile, writeFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { busyboxImage, type Cluster } from '../index.ts'
import { until } from '../machine/until.ts'
import { arcApi, arcPlurals, arcVersion, declareArc } from '../testing/arc-kinds.ts'

export const arcNamespace = 'arc-runners'
const ofArc = `${arcApi}/namespaces/${arcNamespace}`
const pods = `/api/v1/namespaces/${arcNamespace}/pods`
const secrets = `/api/v1/namespaces/${arcNamespace}/secrets`
const withinMs = 60_000
const tokenSeconds = 3_600

/** As GitHub makes a runner's configuration: base64 of JSON whose first key begins with a dot. */
export const jit = Buffer.from(
  JSON.stringify({ '.runner': 'not-a-real-one'.repeat(12), '.credentials': 'nor-this'.repeat(20) }),
).toString('base64')

/** ARC's objects in a cluster without ARC: nobody acts on them, so that they stay as they were made. */
export interface Arc {
  /** Makes an EphemeralRunner with a status, as ARC leaves it. */
  runner(name: string, status?: object): Promise<void>
  /** Makes the pod of a runner, as ARC makes it. */
  pod(
    name: string,
    script: string,
    words?: { readonly container?: object; readonly metadata?: object },
  ): Promise<void>
  /** Waits until its pod is as said. */
  // biome-ignore lint/suspicious/noExplicitAny: the API server's object, read by tests
  until(name: string, is: (pod: any) => boolean): Promise<void>
  removePod(name: string): Promise<void>
  /** As ARC does at last: without its finalizers, and its pod goes with it. */
  removeRunner(name: string): Promise<void>
  /** A version of each object, which changes with every write. */
  versions(): Promise<readonly string[]>
}

export async function openArc(cluster: Cluster): Promise<Arc> {
  const { api } = cluster
  const made = async (path: string, object: object) => {
    const answer = await api.request('POST', path, object)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  await declareArc(cluster)
  await made('/api/v1/namespaces', { metadata: { name: arcNamespace } })
  const set = await made(`${ofArc}/autoscalingrunnersets`, {
    apiVersion: arcVersion,
    kind: 'AutoscalingRunnerSet',
    metadata: { name: 'my-set', finalizers: ['autoscalingrunnerset.actions.github.com/finalizer'] },
    spec: { githubConfigUrl: 'https://github.com/acme/web', minRunners: 0, maxRunners: 5 },
  })
  const replicas = await made(`${ofArc}/ephemeralrunnersets`, {
    apiVersion: arcVersion,
    kind: 'EphemeralRunnerSet',
    metadata: {
      name: 'my-set-x7k2p',
      finalizers: ['ephemeralrunner.actions.github.com/finalizer'],
      ownerReferences: [ownerOf(set)],
    },
    spec: { replicas: 5, patchID: 1 },
  })

  const podThat = async (name: string, is: (pod: never) => boolean): Promise<void> => {
    let last = ''
    await until(`the pod ${name} is as expected`, withinMs, async () => {
      const answer = await api.request('GET', `${pods}/${name}`)
      last = answer.text
      return is((answer.status === 200 ? answer.body : null) as never)
    }).catch((error: unknown) => {
      throw new Error(`the pod ${name} is ${last}`, { cause: error })
    })
  }

  return {
    async runner(name, status = {}) {
      await made(`${ofArc}/ephemeralrunners`, {
        apiVersion: arcVersion,
        kind: 'EphemeralRunner',
        metadata: {
          name,
          labels: labels('runner'),
          annotations,
          finalizers: [
            'ephemeralrunner.actions.github.com/finalizer',
            'ephemeralrunner.actions.github.com/runner-registration-finalizer',
          ],
          ownerReferences: [ownerOf(replicas)],
        },
        spec: { githubConfigUrl: 'https://github.com/acme/web', runnerScaleSetId: 7 },
      })
      const whole = { status: { runnerId: 41, runnerName: name, runnerJITConfig: jit, ...status } }
      const path = `${ofArc}/ephemeralrunners/${name}/status`
      const answer = await api.request('PATCH', path, whole, 'application/merge-patch+json')
      if (answer.status !== 200) throw new Error(`status of ${name}: ${answer.status} ${answer.text}`)
      await made(secrets, { metadata: { name }, stringData: { jitToken: jit } })
    },
    async pod(name, script, { container = {}, metadata = {} } = {}) {
      const owner = (await api.request('GET', `${ofArc}/ephemeralrunners/${name}`)).body
      await made(pods, {
        metadata: {
          name,
          labels: { ...labels('runner'), 'actions-ephemeral-runner': 'True', 'pod-template-hash': '5d9f7c' },
          annotations,
          ownerReferences: [ownerOf(owner)],
          ...metadata,
        },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 3,
          containers: [
            {
              name: 'runner',
              image: busyboxImage,
              command: ['sh', '-c', script],
              env: [
                {
                  name: 'ACTIONS_RUNNER_INPUT_JITCONFIG',
                  valueFrom: { secretKeyRef: { name, key: 'jitToken' } },
                },
              ],
              ...container,
            },
          ],
        },
      })
    },
    until: podThat,
    async removePod(name) {
      await api.request('DELETE', `${pods}/${name}`)
      await podThat(name, (pod) => pod === null)
    },
    async removeRunner(name) {
      const path = `${ofArc}/ephemeralrunners/${name}`
      const bare = { metadata: { finalizers: null } }
      await api.request('PATCH', path, bare, 'application/merge-patch+json')
      await api.request('DELETE', path)
      await podThat(name, (pod) => pod === null)
    },
    async versions() {
      const lists = [pods, secrets, ...arcPlurals.map((plural) => `${ofArc}/${plural}`)]
      const answers = await Promise.all(lists.map((path) => api.request('GET', path)))
      // biome-ignore lint/suspicious/noExplicitAny: the API server's objects
      return answers.flatMap(({ body }) => body.items.map(({ metadata }: any) => versionOf(metadata)))
    },
  }
}

/** Writes a kubeconfig of a ServiceAccount that may only read what is named. */
export async function asReader(
  cluster: Cluster,
  name: string,
  rules: readonly object[],
  file: string,
): Promise<string> {
  const { api } = cluster
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await api.request('POST', accounts, { metadata: { name } })
  await api.request('POST', `${rbac}/clusterroles`, { metadata: { name }, rules })
  await api.request('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  })
  const { body } = await api.request('POST', `${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  })
  const config = parse(await readFile(cluster.kubeconfig, 'utf8'))
  config.users[0].user = { token: body.status.token }
  await writeFile(file, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return file
}

const annotations = {
  'actions.github.com/runner-group-name': 'Default',
  'actions.github.com/runner-scale-set-name': 'my-set',
  'actions.github.com/patch-id': '1',
}

function labels(component: string) {
  return {
    'actions.github.com/scale-set-name': 'my-set',
    'actions.github.com/scale-set-namespace': arcNamespace,
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/part-of': 'gha-runner-scale-set',
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the API server's object
function ownerOf({ apiVersion, kind, metadata }: any): object {
  const { name, uid } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

function versionOf({ name, uid, resourceVersion }: Readonly<Record<string, string>>): string {
  return `${name} ${uid} ${resourceVersion}`
}
