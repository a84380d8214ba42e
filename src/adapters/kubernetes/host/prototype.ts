import type { PodPlan } from '../../../domain/pool/index.ts'
import {
  type PodManifest,
  type PodSite,
  type PreparedPods,
  preparePods,
  type Toleration,
} from '../pods/index.ts'
import type { ResourceList } from './capacity/requests.ts'
import { type Taint, toRunnerPod } from './objects/objects.ts'

const anyValue = 'any'

/** The parts that all pods of a plan have in common. */
export interface Prototype {
  readonly template: string
  /** Why no pod can be made, each as a sentence for the pool's author. */
  readonly problems: readonly string[]
  readonly requests: ResourceList
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly tolerations: readonly Toleration[]
  /** The pod of one runner; there is none where there are problems. */
  pod(
    runner: string,
    pool: string,
    avoidNodes: readonly string[],
    unwantedNodes?: readonly string[],
  ): PodManifest
}

type Placement = Pick<Prototype, 'requests' | 'nodeSelector' | 'tolerations'>

/** Of a plan with problems: that no pod is made of it is said when one is asked for. */
const noRequests: Placement = { requests: {}, nodeSelector: {}, tolerations: [] }

/**
 * Made once for each plan: merging and judging a template takes a millisecond, which a thousand pods at once do not
 * have.
 */
export function createPrototypes(site: PodSite): (plan: PodPlan) => Prototype {
  const made = new WeakMap<PodPlan, Prototype>()
  return (plan) => {
    const known = made.get(plan)
    if (known !== undefined) return known
    const prototype = prototypeOf(plan, site)
    made.set(plan, prototype)
    return prototype
  }
}

/** Whether a pod of it may be placed on a node with these taints. */
export function toleratesAll(
  { tolerations }: Pick<Prototype, 'tolerations'>,
  taints: readonly Taint[],
): boolean {
  return taints.every(
    (taint) => taint.effect === 'PreferNoSchedule' || tolerations.some((each) => tolerates(each, taint)),
  )
}

function prototypeOf(plan: PodPlan, site: PodSite): Prototype {
  const any = preparePods({ pool: anyValue, plan, site })
  /** By pool: one, as long as each pool has a plan of its own. */
  const prepared = new Map<string, PreparedPods>()
  function podsOf(pool: string): PreparedPods {
    const pods = prepared.get(pool) ?? preparePods({ pool, plan, site })
    prepared.set(pool, pods)
    return pods
  }
  return {
    template: any.template,
    problems: any.problems,
    ...(any.problems.length > 0 ? noRequests : placementOf(any.build(anyValue, []))),
    pod: (runner, pool, avoidNodes, unwantedNodes) => podsOf(pool).build(runner, avoidNodes, unwantedNodes),
  }
}

function placementOf({ metadata, ...rest }: PodManifest): Placement {
  const { nodeSelector = {}, tolerations = [] } = rest.spec
  const { requests } = toRunnerPod({
    ...rest,
    metadata: { ...metadata, uid: anyValue, resourceVersion: '0' },
  })
  return { requests, nodeSelector, tolerations }
}

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false
  if (key === undefined || key === '') return operator === 'Exists'
  if (key !== taint.key) return false
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '')
}
