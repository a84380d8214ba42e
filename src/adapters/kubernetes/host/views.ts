import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Freshness } from '../../../ports/cluster.ts'
import type { Cluster } from '../cluster.ts'
import type { Reflector } from '../reflector/reflector.ts'
import { kinds } from './kinds.ts'
import { RUNNER_SELECTOR } from './marks.ts'
import {
  keepNode,
  keepPodBy,
  keepQuota,
  keepWarning,
  type NodeObject,
  type PodWarning,
  type QuotaObject,
  type RunnerPod,
} from './objects.ts'
import { createSharing } from './sharing.ts'

/** Where all is well a view is proven each minute, and listed anew after one and a half; older ones prove nothing. */
const VIEW_AGE_MAX_MS = 150_000

/** Warnings that say something which a pod does not say itself. Others may come by the thousand. */
const warningSelector = [
  'involvedObject.kind=Pod',
  'type=Warning',
  ...['FailedScheduling', 'BackOff', 'Unhealthy', 'Failed'].map((reason) => `reason!=${reason}`),
].join(',')

/** What the host watches; nothing of it is ever polled. */
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
      ...{ kind: kinds.pods, namespace, labelSelector: RUNNER_SELECTOR, keep: keepPodBy(createSharing()) },
      indexes: { node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) },
    }),
    nodes: cluster.view({ kind: kinds.nodes, keep: keepNode }),
    quotas: cluster.view({ kind: kinds.quotas, namespace, keep: keepQuota }),
    warnings: cluster.view({
      ...{ kind: kinds.events, namespace, fieldSelector: warningSelector, keep: keepWarning },
      hasBookmarks: false,
      indexes: { pod: ({ podUid }) => [podUid] },
    }),
  }
}

/** Whether an absence or a state in it may be concluded from. */
export function isBelievable({ isWhole, ageMs }: Freshness): boolean {
  return isWhole && ageMs <= VIEW_AGE_MAX_MS
}

/** Throws the retryable error of a view that cannot be concluded from. */
export function mustBelieve(view: ViewName, freshness: Freshness): void {
  if (isBelievable(freshness)) return
  const { isWhole, ageMs, trouble } = freshness
  const state = isWhole ? `it was last proven ${Math.round(ageMs / 1_000)} s ago` : 'it is not whole yet'
  throw new HoldfastError('E_CLUSTER_VIEW_OLD', { view, state, trouble: trouble ?? '' })
}

/** What a view holds, where it can be believed. */
export function believed<T>(name: ViewName, seen: { readonly value: T; readonly freshness: Freshness }): T {
  mustBelieve(name, seen.freshness)
  return seen.value
}
