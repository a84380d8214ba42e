import { setTimeout as sleep } from 'node:timers/promises'
import { busyboxImage } from '../cluster/images/index.ts'
import type { Bench } from './cases.ts'
import { expectMade, type Json } from './ground.ts'

const podsPath = '/api/v1/namespaces/arc-systems/pods'
/** ARC may have made a younger one from a cache: Holdfast asks for as much, and a second for whole seconds. */
const youngerByMs = 11_000
const startMaxMs = 60_000

/** In place of the listener's pod of the state: one that really runs, prints this line, and is younger than every Secret. */
export async function restartListener({ ground }: Bench, line: string): Promise<void> {
  const { api } = ground.cluster
  const [{ metadata }] = (await api.request('GET', podsPath)).body.items as Json[]
  const where = `${podsPath}/${metadata.name}`
  await api.request('DELETE', `${where}?gracePeriodSeconds=0`)
  await until(async () => (await api.request('GET', where)).status === 404)
  await sleep(youngerByMs)
  await expectMade(api, podsPath, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: metadata.name, namespace: 'arc-systems', labels: metadata.labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'listener',
          image: busyboxImage,
          imagePullPolicy: 'Never',
          env: [{ name: 'LINE', value: line }],
          command: ['sh', '-c', 'echo "$LINE"; exec sleep 3600'],
        },
      ],
    },
  })
  await until(async () => (await api.request('GET', where)).body.status.phase === 'Running')
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + startMaxMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the listener of the test did not come')
    await sleep(300)
  }
}
