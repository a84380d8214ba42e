import { busyboxEntries, type Cluster, up } from '../cluster/index.ts'
import { prepareMachine } from '../cluster/machine/needs.ts'
import { declareArc, forgetArc } from '../cluster/testing/arc-kinds.ts'
import { suiteName } from '../cluster/testing/names.ts'
import { makeNamespace, tearNamespace } from '../cluster/testing/namespaces.ts'
import { openShared } from '../cluster/testing/shared.ts'
import { metricsApi, serveMetrics } from './metrics.ts'
import { openRegistry } from './registry/registry.ts'
import { arcImages } from './replay-arc.ts'
import type { Situation } from './situation.ts'
import { closedTaint, type Json, type Stage, type StageParts, stageOf } from './stage.ts'

const prefix = 'audits-'
const nodes = 2
const priorities = '/apis/scheduling.k8s.io/v1/priorityclasses'
const mergePatch = 'application/merge-patch+json'

/** A cluster that knows ARC's kinds and has the images of its programs. */
export interface Ground extends AsyncDisposable {
  readonly cluster: Cluster
  /** Shared by all situations. */
  readonly parts: Omit<StageParts, 'cluster' | 'namespace'>
  namespaceOf(situation: Pick<Situation, 'name'>): string
  /** Makes the namespace of a situation. */
  stage(situation: Pick<Situation, 'name'>): Promise<Stage>
  /** Puts the taint of one of the situations on every node. */
  closeNodes(): Promise<void>
}

/** The cluster that suites share, which is left as it was found; without one, its own. */
export async function openGround(folder: string, say: (line: string) => void): Promise<Ground> {
  const opened = new AsyncDisposableStack()
  try {
    const cluster = await openCluster(opened, say)
    const { busybox } = await prepareMachine(say)
    const entries = await busyboxEntries(busybox)
    for (const name of arcImages) {
      // Of two images with the same content a node knows only one name.
      const own = { kind: 'file', path: 'etc/image', content: name } as const
      await cluster.load({ name, entries: [...entries, own], command: ['/bin/sh'] })
    }
    await declareArc(cluster)
    const registry = opened.use(await openRegistry(folder, say))
    await cluster.expose(registry.port, '127.0.0.1')
    opened.use(await serveMetrics(cluster))
    const parts = { forge: { runners: [], jobs: [] }, registry, entries }
    return {
      cluster,
      parts,
      namespaceOf,
      async stage(situation) {
        await makeNamespace(cluster, namespaceOf(situation))
        return stageOf({ cluster, namespace: namespaceOf(situation), ...parts })
      },
      closeNodes: () => changeTaints(cluster, (taints) => [...taints, closedTaint]),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

const namespaceOf = ({ name }: Pick<Situation, 'name'>): string => `${prefix}${name}`

async function openCluster(opened: AsyncDisposableStack, say: (line: string) => void): Promise<Cluster> {
  const shared = await openShared(nodes, 0)
  if (shared === null) return opened.use(await up({ name: suiteName('audits'), nodes }, say))
  opened.defer(async () => {
    await clear(shared)
    await forgetArc(shared)
    await shared.close()
  })
  await clear(shared)
  return shared
}

/** Also of a run that was killed. */
async function clear(cluster: Cluster): Promise<void> {
  const ours = async (kind: string): Promise<readonly string[]> => {
    const { body } = await cluster.api.request('GET', kind)
    const names: readonly string[] = body.items.map(({ metadata }: Json) => metadata.name)
    return names.filter((name) => name.startsWith(prefix))
  }
  await cluster.api.request('DELETE', metricsApi)
  await Promise.all((await ours('/api/v1/namespaces')).map((name) => tearNamespace(cluster, name)))
  for (const name of await ours(priorities)) await cluster.api.request('DELETE', `${priorities}/${name}`)
  await changeTaints(cluster, (taints) => taints)
}

async function changeTaints(
  cluster: Cluster,
  change: (others: readonly Json[]) => readonly Json[],
): Promise<void> {
  const { body } = await cluster.api.request('GET', '/api/v1/nodes')
  for (const { metadata, spec } of body.items as readonly Json[]) {
    const others = (spec.taints ?? []).filter(({ key }: Json) => key !== closedTaint.key)
    const patch = { spec: { taints: change(others) } }
    await cluster.api.request('PATCH', `/api/v1/nodes/${metadata.name}`, patch, mergePatch)
  }
}
