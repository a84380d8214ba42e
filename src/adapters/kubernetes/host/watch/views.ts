import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Freshness } from '../../../../ports/cluster.ts'
import { type Cluster, kinds, type Reflector } from '../../client/index.ts'
import { createInterner } from '../objects/interner.ts'
import { runnerSelector } from '../objects/marks.ts'
import {
  type NodeObject,
  type PodWarning,
  type QuotaObject,
  type RunnerPod,
  runnerPodTransform,
  toNodeObject,
  toPodWarning,
  toQuotaObject,
} from '../objects/objects.ts'

/** Where all is well a view is proven each minute, and listed again after one and a half; older ones prove nothing. */
const viewAgeMaxMs = 150_000

/** Warnings that say something which a pod does not say itself. Others may come by the thousand. */
const warningSelector = [
  'involvedObject.kind=Pod',
  'type=Warning',
  ...['FailedScheduling', 'BackOff', 'Unhealthy', 'Failed'].map((reason) => `reason!=${reason}`),
].join(',')

/** The caches of the host; nothing is polled. */
export interface Views {
  /** Runners' pods; by `node`. */
  readonly pods: Reflector<RunnerPod>
  readonly nodes: Reflector<NodeObject>
  readonly quotas: Reflector<QuotaObject>
  /** By `pod`, which is its UID. */
  readonly warnings: Reflector<PodWarning>
}

export type ViewName = keyof Views
export const viewNames = ['pods', 'nodes', 'quotas', 'warnings'] as const satisfies readonly ViewName[]

export function createViews(cluster: Pick<Cluster, 'view'>, namespace: string): Views {
  return {
    pods: cluster.view({
      kind: kinds.pods,
      namespace,
      labelSelector: runnerSelector,
      transform: runnerPodTransform(createInterner()),
      indexes: { node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) },
    }),
    nodes: cluster.view({ kind: kinds.nodes, transform: toNodeObject }),
    quotas: cluster.view({ kind: kinds.quotas, namespace, transform: toQuotaObject }),
    warnings: cluster.view({
      kind: kinds.events,
      namespace,
      fieldSelector: warningSelector,
      transform: toPodWarning,
      hasBookmarks: false,
      indexes: { pod: ({ podUid }) => [podUid] },
    }),
  }
}

/** Whether an absence or a state in it may be concluded from. */
export function isFresh({ isWhole, ageMs }: Freshness): boolean {
  return isWhole && ageMs <= viewAgeMaxMs
}

/** Throws the retryable error of a view that cannot be concluded from. */
export function requireFresh(view: ViewName, freshness: Freshness): void {
  if (isFresh(freshness)) return
  const { isWhole, ageMs, problem } = freshness
  const state = isWhole ? `it was last proven ${Math.round(ageMs / 1_000)} s ago` : 'it is not whole yet'
  throw new HoldfastError('E_CLUSTER_VIEW_OLD', { view, state, problem: problem ?? '' })
}

/** The value from a view that is fresh; throws where it is stale. */
export function freshValue<T>(
  name: ViewName,
  cached: { readonly value: T; readonly freshness: Freshness },
): T {
  requireFresh(name, cached.freshness)
  return cached.value
}
