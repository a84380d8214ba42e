import { readFile, symlink } from 'node:fs/promises'
import path from 'node:path'
import { isAlive } from '../../src/adapters/process/proc/index.ts'
import { type Api, openApi } from './api.ts'
import type { Binaries } from './binaries/build.ts'
import { standardImages } from './images/index.ts'
import { loadImage } from './images/load.ts'
import { createGroups } from './machine/cgroups.ts'
import { becomes, type Keeper, keeperOf } from './machine/keeper.ts'
import type { Machine } from './machine/needs.ts'
import { logFileOf, runInside } from './machine/start-part.ts'
import { until } from './machine/until.ts'
import { writeCertificates } from './parts/certificates.ts'
import * as control from './parts/control-plane.ts'
import { apiForwardCommand, portOf } from './parts/forward.ts'
import { writeKubeconfig } from './parts/kubeconfig.ts'
import { createKwokNodes, kwokCommand } from './parts/kwok.ts'
import { containerdCommand, kubeletCommand, nodeCommand, writeNode } from './parts/node.ts'
import { containerdAnswers } from './parts/ready.ts'
import { nodeName, type Place } from './place.ts'

const startsWithinMs = 60_000
const readyWithinMs = 120_000

/** Starts every part of a cluster whose state is written, and waits until pods can run. */
export async function boot(
  place: Place,
  binaries: Binaries,
  machine: Machine,
  signal?: AbortSignal,
): Promise<void> {
  const keeper = keeperOf(place, signal)
  const { nodes, kwokNodes } = await keeper.state()
  const indices = Array.from({ length: nodes }, (_, index) => index + 1)
  await createGroups(place.id, indices.map(nodeName))
  await writeCertificates(binaries.tools, place, nodes)
  await startNetwork(keeper, place, binaries, nodes)
  const api = await startApi(keeper, place, binaries)
  try {
    await Promise.all([
      until('the API server is ready', startsWithinMs, () => isReady(keeper, place, api)),
      startRuntimes(keeper, place, binaries, machine, indices),
    ])
    await startClients(keeper, place, binaries, indices)
    if (kwokNodes > 0)
      await keeper.start('kwok', kwokCommand(binaries, await clientConfig(place, 'kwok')), 'network')
    if (kwokNodes > 0) await createKwokNodes(api, kwokNodes)
    await until('every node is ready', readyWithinMs, () =>
      allNodesReady(keeper, place, api, nodes + kwokNodes),
    )
    await until('the default service account is there', readyWithinMs, () =>
      hasDefaultAccount(keeper, place, api),
    )
  } finally {
    await api[Symbol.asyncDispose]()
  }
}

async function startNetwork(keeper: Keeper, place: Place, binaries: Binaries, nodes: number): Promise<void> {
  await becomes(await keeper.start('network', control.networkCommand(binaries.tools), null), binaries.tools)
  await runInside(place, await keeper.state(), 'network', ['/bin/sh', '-c', control.networkSetup(nodes)])
}

async function startApi(keeper: Keeper, place: Place, binaries: Binaries): Promise<Api> {
  await keeper.start('etcd', control.etcdCommand(binaries, place), 'network')
  await until('etcd is ready', startsWithinMs, async () => {
    await nobodyEnded(keeper, place)
    return (await readFile(logFileOf(place, 'etcd'), 'utf8')).includes('ready to serve client requests')
  })
  await keeper.start('apiserver', control.apiServerCommand(binaries, place), 'network')
  const network = (await keeper.state()).parts.find(({ name }) => name === 'network')?.identity
  if (!network) throw new Error('The network is not recorded.')
  await keeper.start('forward-api', apiForwardCommand(binaries.tools, place, network, 0), null)
  const apiPort = await until('the port of the API server', startsWithinMs, () =>
    portOf(place, 'forward-api'),
  )
  await keeper.note({ apiPort })
  await writeKubeconfig(place, 'admin', `https://127.0.0.1:${apiPort}`, place.kubeconfig)
  await symlink(binaries.kubectl, path.join(place.folder, 'kubectl'))
  return openApi(place, apiPort)
}

async function isReady(keeper: Keeper, place: Place, api: Api): Promise<boolean> {
  await nobodyEnded(keeper, place)
  return api.request('GET', '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  )
}

async function startRuntimes(
  keeper: Keeper,
  place: Place,
  binaries: Binaries,
  machine: Machine,
  indices: readonly number[],
): Promise<void> {
  for (const index of indices) await startContainerd(keeper, place, binaries, machine, index)
  for (const image of await standardImages(binaries.tools, machine.busybox)) {
    await loadImage(place, await keeper.state(), image)
  }
}

async function startContainerd(
  keeper: Keeper,
  place: Place,
  binaries: Binaries,
  machine: Machine,
  index: number,
): Promise<void> {
  const node = nodeName(index)
  await writeNode(place, index, machine)
  const holder = await keeper.start(node, nodeCommand(binaries.tools, place, index), 'network')
  await becomes(holder, binaries.tools)
  await keeper.start(`${node}-containerd`, containerdCommand(place, index), node)
  await containerdAnswers(place, keeper, node, () => nobodyEnded(keeper, place))
}

/** The API server is ready first: a client that fails to reach it waits longer and longer. */
async function startClients(
  keeper: Keeper,
  place: Place,
  binaries: Binaries,
  indices: readonly number[],
): Promise<void> {
  const config = (holder: string): Promise<string> => clientConfig(place, holder)
  const manager = control.controllerManagerCommand(binaries, place, await config('controller-manager'))
  await keeper.start('controller-manager', manager, 'network')
  await keeper.start('scheduler', control.schedulerCommand(binaries, await config('scheduler')), 'network')
  for (const index of indices) {
    const node = nodeName(index)
    await keeper.start(`${node}-kubelet`, kubeletCommand(binaries, place, index, await config(node)), node)
  }
}

async function clientConfig(place: Place, holder: string): Promise<string> {
  const file = path.join(place.folder, `${holder}.kubeconfig`)
  await writeKubeconfig(place, holder, `https://127.0.0.1:${control.apiPortInside}`, file)
  return file
}

async function allNodesReady(keeper: Keeper, place: Place, api: Api, count: number): Promise<boolean> {
  await nobodyEnded(keeper, place)
  const { body } = await api.request('GET', '/api/v1/nodes')
  const ready = (body.items as KubernetesNode[]).filter(
    ({ status, spec }) =>
      status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') &&
      !spec.taints?.some(({ key }) => key.startsWith('node.kubernetes.io/')),
  )
  return ready.length === count
}

interface KubernetesNode {
  readonly spec: { readonly taints?: readonly { readonly key: string }[] }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function hasDefaultAccount(keeper: Keeper, place: Place, api: Api): Promise<boolean> {
  await nobodyEnded(keeper, place)
  const paths = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']
  const answers = await Promise.all(
    paths.map((each) => api.request('GET', `/api/v1/namespaces/default/${each}`)),
  )
  return answers.every(({ status }) => status === 200)
}

/** A part that has ended will not become ready: says so with the end of its log. */
async function nobodyEnded(keeper: Keeper, place: Place): Promise<void> {
  const ended = (await keeper.state()).parts.find(({ identity }) => !isAlive(identity))
  if (ended === undefined) return
  const log = await readFile(logFileOf(place, ended.name), 'utf8').catch(() => '')
  throw new Error(`${ended.name} has ended:\n${log.slice(-2_000)}`)
}
