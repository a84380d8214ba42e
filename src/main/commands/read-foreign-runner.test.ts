import { expect, it } from 'vitest'
import { kubeconfig } from '../../adapters/kubernetes/client/testing/kubeconfig-file.ts'
import { rawPod, terminated } from '../../adapters/kubernetes/host/testing/pod.ts'
import { readForeignRunner } from './read-foreign-runner.ts'

const never = new AbortController().signal

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
