import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { forgetHoldfast } from '../cluster/fleet/rights.ts'
import { type Cluster, up } from '../cluster/index.ts'
import { arcApi, declareArc, forgetArc } from '../cluster/testing/arc-kinds.ts'
import { suiteName } from '../cluster/testing/names.ts'
import { makeNamespace, tearNamespace } from '../cluster/testing/namespaces.ts'
import { openShared } from '../cluster/testing/shared.ts'
import { arcState } from '../support/arc-states.ts'
import { asLeader, leaderNamespace } from './leader-rights.ts'

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
export type Json = any

const rbacFiles = [
  'remedy-rbac.yaml',
  'remedy-secrets-rbac.yaml',
  'remedy-secret-drift-rbac.yaml',
  'remedy-credentials-rbac.yaml',
  'apply-rbac.yaml',
  'remedy-outdated-rbac.yaml',
  'remedy-finalizers-rbac.yaml',
  'probe-rbac.yaml',
  'remedy-gitlab-token-rbac.yaml',
].map((file) => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url)))
const namespaces = ['arc-runners', 'arc-systems', 'gitlab-runner', 'holdfast']
const mergePatch = 'application/merge-patch+json'
export const runnersPath = `${arcApi}/namespaces/arc-runners/ephemeralrunners`
const setsPath = `${arcApi}/namespaces/arc-runners/ephemeralrunnersets`

/** A cluster with ARC's kinds and the accounts that the files of `deploy/` make. */
export interface Ground extends AsyncDisposable {
  readonly cluster: Cluster
  /** Of the account of `reap` and `fix`. */
  readonly kubeconfig: string
  /** Of the account of `apply`. */
  readonly applyKubeconfig: string
  /** Of the account of probes. */
  readonly probeKubeconfig: string
  /** Of the account of the managers of GitLab Runner. */
  readonly gitlabKubeconfig: string
  /** Of Holdfast's own account, with the rights of `reap` besides. */
  readonly leaderKubeconfig: string
  /** Makes the healthy set of ARC's real controller again, at this forge; one of its runners is wanted no more. */
  leak(forgeUrl: string): Promise<readonly string[]>
  /** Makes any state of ARC's real controller, at this forge; gives its runners. */
  make(state: string, forgeUrl: string): Promise<readonly string[]>
}

export async function openGround(folder: string, say: (line: string) => void): Promise<Ground> {
  const opened = new AsyncDisposableStack()
  const shared = await openShared(1, 0)
  const cluster = shared ?? opened.use(await up({ name: suiteName('remedies'), nodes: 1 }, say))
  opened.defer(async () => {
    for (const name of namespaces) await tearNamespace(cluster, name)
    await forgetArc(cluster)
    await forgetHoldfast(cluster, leaderNamespace)
    if (shared !== null) await shared.close()
  })
  await declareArc(cluster)
  for (const name of namespaces) await makeNamespace(cluster, name)
  await grant(cluster)
  return {
    cluster,
    kubeconfig: await accountOf(cluster, folder, 'holdfast-remedy'),
    applyKubeconfig: await accountOf(cluster, folder, 'holdfast-apply'),
    probeKubeconfig: await accountOf(cluster, folder, 'holdfast-probe'),
    gitlabKubeconfig: await accountOf(cluster, folder, 'holdfast-remedy-gitlab-token'),
    leaderKubeconfig: await asLeader(cluster, folder),
    leak: (forgeUrl) => leak(cluster, forgeUrl),
    make: (state, forgeUrl) => make(cluster, state, forgeUrl),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function grant({ api }: Cluster): Promise<void> {
  const plurals: Readonly<Record<string, string>> = {
    ServiceAccount: '/api/v1/namespaces/NAMESPACE/serviceaccounts',
    Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
    RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
  }
  const texts = await Promise.all(rbacFiles.map((file) => readFile(file, 'utf8')))
  for (const document of texts.flatMap((text) => parseAllDocuments(text) as Json[])) {
    const object = document.toJS()
    await expectMade(
      api,
      (plurals[object.kind] ?? '').replace('NAMESPACE', object.metadata.namespace),
      object,
    )
  }
}

async function accountOf({ api, kubeconfig }: Cluster, folder: string, account: string): Promise<string> {
  const path_ = `/api/v1/namespaces/holdfast/serviceaccounts/${account}/token`
  const spec = { expirationSeconds: 3_600 }
  const { body } = await api.request('POST', path_, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  })
  const config = parse(await readFile(kubeconfig, 'utf8'))
  config.users[0].user = { token: body.status.token }
  const file = path.join(folder, `${account}.kubeconfig`)
  await writeFile(file, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return file
}

async function leak(cluster: Cluster, forgeUrl: string): Promise<readonly string[]> {
  const names = await make(cluster, '0.14.2/a-healthy-idle', forgeUrl)
  const { api } = cluster
  const [set] = (await api.request('GET', setsPath)).body.items
  await api.request('PATCH', `${setsPath}/${set.metadata.name}`, { spec: { replicas: 1 } }, mergePatch)
  return names
}

/** Objects and their status are real; no kubelet runs these pods: their status is written here. */
async function make({ api }: Cluster, state: string, forgeUrl: string): Promise<readonly string[]> {
  await clear(api)
  const { objects } = arcState(state)
  const uids = new Map<string, string>()
  for (const plural of [
    'autoscalingrunnersets',
    'autoscalinglisteners',
    'ephemeralrunnersets',
    'ephemeralrunners',
    'pods',
  ]) {
    for (const { status, ...object } of (objects[plural] ?? []) as Json[]) {
      const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = object.metadata
      const owners = ownerReferences
        .filter(({ uid }: Json) => uids.has(uid))
        .map((owner: Json) => ({ ...owner, uid: uids.get(owner.uid) }))
      const root = plural === 'pods' ? '/api/v1' : arcApi
      const metadata = {
        name,
        namespace,
        labels,
        annotations,
        ownerReferences: owners,
        ...(plural === 'ephemeralrunners' && { finalizers }),
      }
      const where = `${root}/namespaces/${namespace}/${plural}`
      const made = await expectMade(api, where, {
        ...(plural === 'pods'
          ? idlePod(object)
          : plural === 'autoscalingrunnersets'
            ? at(object, forgeUrl)
            : object),
        metadata,
      })
      uids.set(object.metadata.uid, made.metadata.uid)
      if (status !== undefined) await api.request('PATCH', `${where}/${name}/status`, { status }, mergePatch)
    }
  }
  return (await api.request('GET', runnersPath)).body.items.map(({ metadata }: Json) => metadata.name)
}

/** The set at another forge: `reap` asks only the forge that a set names. */
function at({ spec, ...object }: Json, forgeUrl: string): object {
  const githubConfigUrl = `${forgeUrl}${new URL(spec.githubConfigUrl).pathname}`
  return { ...object, spec: { ...spec, githubConfigUrl } }
}

/** A pod that no scheduler places. */
function idlePod({ apiVersion, kind, spec }: Json): object {
  const containers = spec.containers.map(({ name, image }: Json) => ({ name, image }))
  return { apiVersion, kind, spec: { schedulerName: 'holdfast.test/nobody', containers } }
}

async function clear(api: Cluster['api']): Promise<void> {
  for (const namespace of ['arc-runners', 'arc-systems']) {
    for (const plural of [
      'ephemeralrunners',
      'ephemeralrunnersets',
      'autoscalinglisteners',
      'autoscalingrunnersets',
      'pods',
      'secrets',
    ]) {
      const isCore = plural === 'pods' || plural === 'secrets'
      const where = `${isCore ? '/api/v1' : arcApi}/namespaces/${namespace}/${plural}`
      for (const { metadata } of ((await api.request('GET', where)).body?.items ?? []) as Json[]) {
        await api.request(
          'PATCH',
          `${where}/${metadata.name}`,
          { metadata: { finalizers: null } },
          mergePatch,
        )
        await api.request('DELETE', `${where}/${metadata.name}?gracePeriodSeconds=0`)
      }
    }
  }
}

/** Makes one object, or fails the case. */
export async function expectMade(api: Cluster['api'], where: string, object: object): Promise<Json> {
  const { status, text, body } = await api.request('POST', where, object)
  if (status !== 201) throw new Error(`${where}: ${status} ${text}`)
  return body
}
