import type { Cluster } from '../cluster.ts'
import { busyboxImage } from '../images/index.ts'
import { until } from '../machine/until.ts'

const endsWithinMs = 60_000
const pods = '/api/v1/namespaces/default/pods'

/** Fields of a test's pod other than its command. */
export interface PodWords {
  readonly spec?: object
  readonly container?: object
}

// biome-ignore lint/suspicious/noExplicitAny: the API server's object, read by tests
export type Pod = any

/** Creates a pod of one container that runs a shell script and is never restarted. */
export async function createPod(
  cluster: Cluster,
  name: string,
  script: string,
  words: PodWords = {},
): Promise<Pod> {
  const answer = await cluster.api.request('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: busyboxImage, command: ['sh', '-c', script], ...words.container }],
      ...words.spec,
    },
  })
  if (answer.status !== 201) throw new Error(`pod ${name}: ${answer.status} ${answer.text}`)
  return answer.body
}

/** Waits until a pod is as said; throws with what it is instead. */
export async function podThat(cluster: Cluster, name: string, is: (pod: Pod) => boolean): Promise<Pod> {
  let last: Pod
  try {
    return await until(`pod ${name} is as expected`, endsWithinMs, async () => {
      last = (await cluster.api.request('GET', `${pods}/${name}`)).body
      return is(last) ? last : null
    })
  } catch (error) {
    throw new Error(`pod ${name} is ${JSON.stringify(last?.status)}`, { cause: error })
  }
}

/** Waits until a pod has ended; gives how its container ended. */
export async function endOf(cluster: Cluster, name: string): Promise<{ exitCode: number; reason: string }> {
  const pod = await podThat(cluster, name, ({ status }) => ['Succeeded', 'Failed'].includes(status.phase))
  return pod.status.containerStatuses[0].state.terminated
}

export async function logOf(cluster: Cluster, name: string): Promise<string> {
  return (await cluster.api.request('GET', `${pods}/${name}/log`)).text
}

export const isRunning = ({ status }: Pod): boolean => status.phase === 'Running'
