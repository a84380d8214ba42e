import { fileURLToPath } from 'node:url'
import type { Api } from '../api.ts'
import type { Binaries } from '../binaries/build.ts'
import { addresses } from '../place.ts'

const annotation = 'kwok.x-k8s.io/node'
const stages = fileURLToPath(new URL('./kwok-stages.yaml', import.meta.url))
const createdAtOnce = 20

/** Plays the kubelet of nodes that are only objects; their pods do not run. */
export function kwokCommand(binaries: Binaries, kubeconfig: string): string[] {
  return [
    binaries.kwok,
    `--config=${stages}`,
    `--kubeconfig=${kubeconfig}`,
    `--manage-nodes-with-annotation-selector=${annotation}=fake`,
    `--node-ip=${addresses.control}`,
    '--node-lease-duration-seconds=40',
  ]
}

/** Makes the nodes; only pods that tolerate their taint are scheduled there. */
export async function createKwokNodes(api: Api, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `kwok-${index + 1}`)
  for (let from = 0; from < count; from += createdAtOnce) {
    await Promise.all(names.slice(from, from + createdAtOnce).map((name) => createNode(api, name)))
  }
}

async function createNode(api: Api, name: string): Promise<void> {
  const resources = { cpu: '64', memory: '512Gi', 'ephemeral-storage': '1Ti', pods: '1000' }
  const answer = await api.request('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { [annotation]: 'fake' },
      labels: { type: 'kwok', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' },
    },
    spec: { taints: [{ key: annotation, value: 'fake', effect: 'NoSchedule' }] },
    status: { allocatable: resources, capacity: resources },
  })
  if (answer.status !== 201) throw new Error(`KWOK node ${name}: ${answer.status} ${answer.text}`)
}
