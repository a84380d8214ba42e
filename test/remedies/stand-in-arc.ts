import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster/index.ts'
import { arcApi } from '../cluster/testing/arc-kinds.ts'
import { arcState } from '../support/arc-states.ts'
import { expectMade, type Json } from './ground.ts'

const everyMs = 300
const mergePatch = 'application/merge-patch+json'
const setPath = `${arcApi}/namespaces/arc-runners/autoscalingrunnersets/arc-demo`

/** A stand-in for ARC 0.14.2: a set in the phase Pending gets the objects that its real controller wrote for a healthy one. */
export function remakeSet({ api }: Cluster): AsyncDisposable {
  const ending = new AbortController()
  const loop = (async () => {
    while (!ending.signal.aborted) {
      const found = await api.request('GET', setPath).catch(() => null)
      if (found?.body?.status?.phase === 'Pending') {
        await makeHealthy(api)
        await api.request('PATCH', `${setPath}/status`, { status: { phase: 'Running' } }, mergePatch)
      }
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await loop
    },
  }
}

async function makeHealthy(api: Cluster['api']): Promise<void> {
  const { objects } = arcState('0.14.2/a-healthy-idle')
  const [generation] = objects.ephemeralrunnersets as Json[]
  const [listener] = objects.autoscalinglisteners as Json[]
  for (const [plural, { metadata, status: _, ...object }] of [
    ['ephemeralrunnersets', generation],
    ['autoscalinglisteners', listener],
  ] as const) {
    const { name, namespace, labels, annotations } = metadata
    const place = `${arcApi}/namespaces/${namespace}/${plural}`
    await expectMade(api, place, { ...object, metadata: { name, namespace, labels, annotations } })
  }
  const { name, namespace } = listener.metadata
  const image = 'ghcr.io/actions/listener:1'
  const pods = `/api/v1/namespaces/${namespace}/pods`
  await expectMade(api, pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { schedulerName: 'holdfast.test/nobody', containers: [{ name: 'listener', image }] },
  })
  const state = { running: { startedAt: '2026-11-16T12:00:00Z' } }
  const statuses = [{ name: 'listener', image, imageID: 'x', ready: true, restartCount: 0, state }]
  const status = { phase: 'Running', containerStatuses: statuses }
  await api.request('PATCH', `${pods}/${name}/status`, { status }, mergePatch)
}
