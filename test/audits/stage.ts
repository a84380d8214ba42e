import { busyboxImage, type Cluster, type Entry } from '../cluster/index.ts'
import { until } from '../cluster/machine/until.ts'
import type { ForgeAnswers } from './forge-answers.ts'
import type { Registry } from './registry/registry.ts'

const shownWithinMs = 120_000
const mergePatch = 'application/merge-patch+json'

/** On each node while the situations stand, so that one of them can meet a taint; all others tolerate it. */
export const closedTaint = { key: 'holdfast.test/closed', effect: 'NoSchedule' } as const
export const everyTaint = [{ operator: 'Exists' }] as const
export const closedTolerated = [{ key: closedTaint.key, operator: 'Exists' }] as const

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
export type Json = any

/** The world of a situation. */
export interface StageParts {
  readonly cluster: Cluster
  readonly namespace: string
  /** The lists of the forge, about all situations. */
  readonly forge: ForgeAnswers
  readonly registry: Registry
  /** The files of an image that runs shell scripts. */
  readonly entries: readonly Entry[]
}

/** One situation's namespace, and what is made there. */
export interface Stage extends StageParts {
  /** Makes an object of a kind at a path such as `/api/v1/pods`, in the namespace; gives it as the API server keeps it. */
  make(path: string, object: object): Promise<Json>
  patch(path: string, object: object): Promise<Json>
  remove(path: string): Promise<void>
  /** A pod of one container that sleeps, with these fields instead. */
  pod(name: string, spec?: object, container?: object): Promise<void>
  podThat(name: string, is: (pod: Json) => boolean): Promise<void>
  /** Waits until an object is as expected; throws with what it is instead. */
  objectThat(path: string, is: (object: Json) => boolean): Promise<void>
}

/** The namespace must be there. */
export function stageOf(given: StageParts): Stage {
  const { cluster, namespace } = given
  const { api } = cluster
  const at = (path: string): string =>
    path.replace(/^(\/api\/v1|\/apis\/[^/]+\/[^/]+)/, `$1/namespaces/${namespace}`)
  const sent = async (method: string, path: string, object?: object, type?: string): Promise<Json> => {
    const answer = await api.request(method, at(path), object, type)
    if (answer.status >= 300) throw new Error(`${method} ${at(path)}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const stage: Stage = {
    ...given,
    make: (path, object) => sent('POST', path, object),
    patch: (path, object) => sent('PATCH', path, object, mergePatch),
    remove: (path) => sent('DELETE', path),
    async pod(name, spec = {}, container = {}) {
      await stage.make('/api/v1/pods', {
        metadata: { name },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 0,
          tolerations: closedTolerated,
          containers: [{ name: 'main', image: busyboxImage, command: ['sleep', '3600'], ...container }],
          ...spec,
        },
      })
    },
    podThat: (name, is) => stage.objectThat(`/api/v1/pods/${name}`, is),
    async objectThat(path, is) {
      let last = ''
      await until(`${at(path)} is as expected`, shownWithinMs, async () => {
        const answer = await api.request('GET', at(path))
        last = answer.text
        return answer.status === 200 && is(answer.body)
      }).catch((error: unknown) => {
        throw new Error(`${at(path)} is ${last}`, { cause: error })
      })
    },
  }
  return stage
}

export const isRunning = ({ status }: Json): boolean => status.phase === 'Running'

/** By the reason with which a container waits. */
export const waitsWith =
  (reasons: RegExp) =>
  ({ status }: Json): boolean =>
    status.containerStatuses?.some(({ state }: Json) => reasons.test(state.waiting?.reason ?? '')) ?? false

/** The scheduler has refused it with these words. */
export const refusedFor =
  (words: RegExp) =>
  ({ status }: Json): boolean =>
    status.conditions?.some(
      ({ type, status: is, message }: Json) =>
        type === 'PodScheduled' && is === 'False' && words.test(message ?? ''),
    ) ?? false
