import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { rawPod, terminated } from '../adapters/kubernetes/host/testing/pod.ts'
import { ApiServer } from '../adapters/kubernetes/testing/api-server.ts'
import { readForeignRunner } from './read-foreign-runner.ts'

const never = new AbortController().signal

async function kubeconfig(): Promise<{ readonly api: ApiServer; readonly file: string }> {
  const api = new ApiServer()
  const server = `http://127.0.0.1:${await api.listen()}`
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-kubeconfig-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await api[Symbol.asyncDispose]()
  })
  const file = join(folder, 'config')
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'here' },
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'arc' } }],
  }
  writeFileSync(file, JSON.stringify(config))
  return { api, file }
}

it('reads a pod from the cluster and the namespace that a kubeconfig names', async () => {
  const { api, file } = await kubeconfig()
  const words = {
    name: 'arc-1',
    runner: terminated(3),
    status: { phase: 'Failed' },
    metadata: { namespace: 'arc' },
  }
  const { metadata, ...rest } = rawPod(words) as { metadata: object }
  api.truth.put('/api/v1/namespaces/arc/pods', 'arc-1', { metadata, ...rest })
  const order = { pod: 'arc-1', namespace: undefined, kubeconfig: file }
  expect(await readForeignRunner(order, never)).toMatchObject({
    namespace: 'arc',
    state: 'ended',
    ending: { exitCode: 3 },
  })
})

it('says that a kubeconfig is not there', async () => {
  const order = { pod: 'arc-1', namespace: undefined, kubeconfig: '/nowhere/config' }
  await expect(readForeignRunner(order, never)).rejects.toMatchObject({ code: 'E_CLUSTER_CONFIG' })
})
