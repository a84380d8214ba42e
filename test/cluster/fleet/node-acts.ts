import { expect } from 'vitest'
import { runInside } from '../machine/start-part.ts'
import { until } from '../machine/until.ts'
import type { Acts } from './acts.ts'
import type { RunnerRow } from './ledger.ts'
import type { World } from './world.ts'

export const soonMs = 90_000
/** Runners that a pool of several nodes keeps ready here: two on each node, but one. */
export const warm = 5
export const nodes = ['node-1', 'node-2', 'node-3']
export const nodePath = (name: string) => `/api/v1/nodes/${name}`

/** The runners of a pool evenly on all nodes that take them. */
export function spread(pool: string): object {
  const even = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { 'holdfast.dev/pool': pool } },
  }
  return { template: { spec: { topologySpreadConstraints: [even] } } }
}

interface ClusterEvent {
  readonly reason: string
  readonly involvedObject: { readonly kind: string; readonly name: string }
}

/** Acts on nodes, and their state as seen from outside. */
export interface NodeActs {
  nodeOf(runner: Pick<RunnerRow, 'name'>): Promise<string | undefined>
  /** Waits until a node is ready, or is not any more. */
  becomes(node: string, ready: boolean): Promise<unknown>
  /** Names of the runners on a node that wait for a job. */
  idleOn(node: string, pool: string): Promise<readonly string[]>
  /** A job that runs, on a node where another runner waits. */
  mixedNode(
    script: string,
    pool: string,
  ): Promise<{
    readonly job: number
    readonly runner: RunnerRow
    readonly node: string
    readonly idle: readonly string[]
  }>
  /** Waits until a pool says that a node is avoided. */
  quarantined(pool: string, node: string): Promise<void>
  /** Runs a command where a node's own programs run. */
  inNode(node: string, command: readonly string[]): Promise<void>
}

export function nodeActsIn(world: World, acts: Acts): NodeActs {
  const { api } = world.cluster
  const nodeOf: NodeActs['nodeOf'] = async ({ name }) => (await acts.pod(name))?.spec.nodeName
  const idleOn: NodeActs['idleOn'] = async (node, pool) => {
    const waiting = new Set((await acts.liveOf(pool, 'polling')).map(({ name }) => name))
    return (await acts.podsOf(pool))
      .filter(({ spec, metadata }) => spec.nodeName === node && waiting.has(metadata.name))
      .map(({ metadata }) => metadata.name as string)
  }
  const isReady = async (node: string): Promise<boolean | undefined> => {
    const { body } = await api.request('GET', nodePath(node))
    return body.status?.conditions?.some(
      ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
    )
  }
  return {
    nodeOf,
    idleOn,
    becomes: (node, ready) =>
      until(`${node} is ${ready ? '' : 'not '}ready`, soonMs, async () => (await isReady(node)) === ready),
    async mixedNode(script, pool) {
      await world.pool(pool, { ...spread(pool), idleTimeoutSeconds: 2, minWarm: warm, maxRunners: warm + 1 })
      await acts.waiting(pool, warm)
      const { job, runner } = await acts.running(script, pool)
      const node = (await nodeOf(runner)) as string
      await acts.waiting(pool, warm)
      const idle = await idleOn(node, pool)
      expect(idle.length).toBeGreaterThan(0)
      return { job, runner, node, idle }
    },
    async quarantined(pool, node) {
      const { type, message } = await until(`${node} is quarantined`, 2 * soonMs, async () =>
        (await api.request('GET', world.at('events'))).body.items.find(
          ({ reason, involvedObject: { kind, name } }: ClusterEvent) =>
            reason === 'NodeQuarantined' && kind === 'RunnerPool' && name === pool,
        ),
      )
      expect(type).toBe('Warning')
      expect(message).toContain(node)
    },
    async inNode(node, command) {
      const { place, parts } = world.cluster
      await runInside(place, await parts.state(), node, command)
    },
  }
}
