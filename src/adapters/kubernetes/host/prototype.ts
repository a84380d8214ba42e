import type { PodPlan } from '../../../domain/pool/index.ts'
import { buildPod, labels, type PodManifest, type PodSite, problemsOf, templateOf } from '../pods/index.ts'
import type { Amounts } from './asks.ts'
import { keepPod, type Taint } from './objects.ts'

/** Sets of nodes to avoid that are remembered for each plan; they change when a node goes bad. */
const VARIANTS_MAX = 8
const ANY = 'any'

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
}

/** What all pods of a plan have in common. */
export interface Prototype {
  readonly template: string
  /** Why no pod can be made, each as a sentence for the pool's author. */
  readonly problems: readonly string[]
  readonly asks: Amounts
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly tolerations: readonly Toleration[]
  /** The pod of one runner; there is none where there are problems. */
  pod(runner: string, pool: string, avoidNodes: readonly string[]): PodManifest
}

type Placing = Pick<Prototype, 'asks' | 'nodeSelector' | 'tolerations'>

/** Of a plan with problems: that no pod is made of it is said when one is asked for. */
const asksNothing: Placing = { asks: {}, nodeSelector: {}, tolerations: [] }

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
  const variants = new Map<string, PodManifest>()
  function variant(pool: string, avoidNodes: readonly string[]): PodManifest {
    const key = JSON.stringify([pool, ...avoidNodes])
    const known = variants.get(key)
    if (known !== undefined) return known
    const manifest = buildPod({ runner: ANY, pool, plan, site, avoidNodes })
    const [oldest] = variants.keys()
    if (variants.size >= VARIANTS_MAX && oldest !== undefined) variants.delete(oldest)
    variants.set(key, manifest)
    return manifest
  }
  const problems = problemsOf(plan, site.audience)
  return {
    ...{ template: templateOf(plan, site), problems },
    ...(problems.length > 0 ? asksNothing : placing(plan, site)),
    pod: (runner, pool, avoidNodes) => named(variant(pool, avoidNodes), runner),
  }
}

function placing(plan: PodPlan, site: PodSite): Placing {
  const any = buildPod({ ...{ runner: ANY, pool: ANY, plan, site }, avoidNodes: [] })
  const { nodeSelector = {}, tolerations = [] } = any.spec as unknown as Partial<Prototype>
  return { asks: asksOf(any), nodeSelector, tolerations }
}

/** Its name is all that tells the pod of one runner from that of another. */
function named(manifest: PodManifest, runner: string): PodManifest {
  const { metadata } = manifest
  return {
    ...manifest,
    metadata: { ...metadata, name: runner, labels: { ...metadata.labels, [labels.runner]: runner } },
  }
}

function asksOf(manifest: PodManifest): Amounts {
  const bare = { ...manifest, metadata: { ...manifest.metadata, uid: ANY, resourceVersion: '0' } }
  return keepPod(bare as unknown as Parameters<typeof keepPod>[0]).asks
}

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false
  if (key === undefined || key === '') return operator === 'Exists'
  if (key !== taint.key) return false
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '')
}
