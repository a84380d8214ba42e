import { expect } from 'vitest'
import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { ClusterWriter } from '../../../../ports/cluster.ts'
import { bench, hurriedClock, untilTestEnds } from '../../client/testing/bench.ts'
import { createPodHost, type PodHostOptions } from '../host.ts'
import { aPlan, aSite } from './plan.ts'
import { rawPod } from './pod.ts'

export const pods = '/api/v1/namespaces/ci/pods'
export const nodesPath = '/api/v1/nodes'
export const events = '/api/v1/namespaces/ci/events'
export const quotas = '/api/v1/namespaces/ci/resourcequotas'
export const never = new AbortController().signal
export const readyNode = {
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    allocatable: { cpu: '8', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' },
  },
}

/** For tests: a host on a scripted API server, watching until the test ends. */
export async function hostGround(over: Partial<PodHostOptions> = {}, clock = hurriedClock(20)) {
  const { api, cluster, log } = await bench({ clock })
  api.truth.put(nodesPath, 'node-1', readyNode)
  const plans = new Map<string, PodPlan>([['linux', aPlan()]])
  const reported: string[] = []
  let writer: () => ClusterWriter = () => cluster.writer
  const host = createPodHost({
    cluster,
    clock,
    log,
    site: aSite,
    plan: (pool) => plans.get(pool),
    writer: () => writer(),
    ...over,
  })
  host.onChange((name) => reported.push(name))
  untilTestEnds((signal) => host.run(signal))
  await host.whole(never)
  await expect.poll(() => api.watches.size).toBe(4)
  const requests = (method: string, path = pods) =>
    api.requests.filter(
      (each) => each.method === method && each.path.startsWith(path) && !each.query.has('watch'),
    )
  return {
    api,
    host,
    plans,
    reported,
    log,
    clock,
    cluster,
    requests,
    start: (name: string, signal = never) =>
      host.start({ name, pool: 'linux', secret: '', avoidNodes: [] }, signal),
    /** A pod as a cluster would show it; the second time the same one, changed. */
    put(words: Parameters<typeof rawPod>[0] = {}) {
      const { metadata, ...rest } = rawPod(words) as { metadata: { name: string } }
      return api.truth.put(pods, metadata.name, { metadata, ...rest })
    },
    seen: async (name: string) => (await host.list()).find((runner) => runner.name === name),
    writeWith(other: () => ClusterWriter) {
      writer = other
    },
  }
}
