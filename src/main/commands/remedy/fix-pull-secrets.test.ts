import { describe, expect, it } from 'vitest'
import { demoSet, openGround } from '../../../../test/support/remedy-ground.ts'
import { fix } from './index.ts'

const never = new AbortController().signal
const token = 'planted-token-5c1e'
const runners = '/api/v1/namespaces/arc-runners'
const systems = '/api/v1/namespaces/arc-systems'
const listenersPath = '/apis/actions.github.com/v1alpha1/namespaces/arc-systems/autoscalinglisteners'

/** The listener of ARC's real controller that cannot pull; a runner has pulled with the runners' copy. */
async function ground() {
  const opened = await openGround('0.14.2/j-image-pull')
  const { truth } = opened.api
  const [listener] = truth.objects(listenersPath)
  const [pod] = truth.objects(`${systems}/pods`)
  if (listener === undefined || pod === undefined) throw new Error('the state has a listener')
  const imagePullSecrets = [{ name: 'ghcr-pull' }]
  const spec = { ...(listener.spec as object), imagePullSecrets }
  truth.put(listenersPath, listener.metadata.name, { ...listener, spec })
  const config = JSON.stringify({ auths: { 'ghcr.io': { auth: token } } })
  const data = { '.dockerconfigjson': Buffer.from(config).toString('base64') }
  const type = 'kubernetes.io/dockerconfigjson'
  const metadata = { namespace: 'arc-runners' }
  truth.put(`${runners}/secrets`, 'ghcr-pull', { metadata, type, data })
  const containers = [{ name: 'runner', image: 'ghcr.io/actions/actions-runner:2.330.0' }]
  const runner = truth.put(`${runners}/pods`, 'r1', { metadata, spec: { imagePullSecrets, containers } })
  truth.put(`${runners}/events`, 'r1.pulled', {
    metadata,
    reason: 'Pulled',
    message: 'Successfully pulled image "ghcr.io/actions/actions-runner:2.330.0" in 3s',
    involvedObject: { kind: 'Pod', name: 'r1', uid: runner.metadata.uid },
    lastTimestamp: '2026-11-16T12:10:00Z',
  })
  const copy = () => truth.get(`${systems}/secrets`, 'ghcr-pull')?.data
  // ARC makes the pod again; with a good copy it runs.
  truth.onEvent((collection, { type: what }) => {
    if (collection !== `${systems}/pods` || what !== 'DELETED') return
    const state = copy() === undefined ? { waiting: {} } : { running: { startedAt: '2026-11-16T12:20:00Z' } }
    const status = { phase: 'Running', containerStatuses: [{ name: 'listener', image: 'x', state }] }
    queueMicrotask(() => truth.put(`${systems}/pods`, pod.metadata.name, { ...pod, status }))
  })
  const order = { ...opened.order, remedy: 'pull-secrets', scope: demoSet } as const
  const run = (apply: string | null = null) => fix(opened.config, { ...order, apply }, never)
  return { ...opened, run, copy, data }
}

describe('holdfast fix pull-secrets on a cluster', () => {
  it('copies the one key, makes the listener again, and stores no value anywhere', async () => {
    const { run, copy, data, stored } = await ground()
    const { hash, plan } = await run()
    expect([plan.objects.map(({ kind }) => kind), copy()]).toEqual([['Secret', 'Pod'], undefined])
    const report = await run(hash)
    expect([report.state, copy()]).toEqual(['done', data])
    const artefacts = stored() + JSON.stringify([plan, report])
    expect(artefacts).not.toContain(token)
    expect(artefacts).not.toContain(data['.dockerconfigjson'])
    expect(artefacts).toContain('ghcr-pull')
  })

  it('writes nothing where the runners’ copy changed after the plan', async () => {
    const { run, copy, api } = await ground()
    const { hash } = await run()
    const before = api.truth.get(`${runners}/secrets`, 'ghcr-pull')
    api.truth.put(`${runners}/secrets`, 'ghcr-pull', { ...before })
    expect(await run(hash)).toMatchObject({ state: 'aborted' })
    expect(copy()).toBeUndefined()
  })
})
