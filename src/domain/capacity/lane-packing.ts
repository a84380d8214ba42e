import type { Amounts } from '../snapshot/index.ts'
import { type CapacityLane, type CapacityModel, quotaNeed } from './model.ts'
import { competingPart, type Packing, type PackingItem } from './packing/index.ts'
import { exclusionRoom } from './pod-rules.ts'

/** Other lanes with the pods that they have now, or with all that they declare. */
export type Load = 'current' | 'declared'

/** A limit that all nodes share: a quota's resource, or the space of a storage class. */
interface SharedLimit {
  readonly name: string
  readonly free: number
  readonly need: (lane: CapacityLane) => number
}

/** A packing with the names of its parts. */
export interface LanePacking {
  readonly packing: Packing
  readonly resources: readonly string[]
  /** Resources that stand for rules between pods. */
  readonly exclusions: ReadonlySet<string>
  readonly nodes: readonly string[]
  readonly limits: readonly SharedLimit[]
  readonly wanted: readonly CapacityLane[]
}

/** A lane without a declared maximum is placed as often as it fits; this only ends the search. */
const unboundedMax = 100_000
/** Whole numbers make sums exact: cpu in thousandths, all else as it is. */
const scale: Readonly<Record<string, number>> = { cpu: 1_000 }

/**
 * The packing that says how many pods of these lanes fit. At current load pods stay where they are, and the lanes' own
 * count as placed; at declared load all lanes are placed again, the others first.
 */
export function lanePacking(model: CapacityModel, wanted: readonly CapacityLane[], load: Load): LanePacking {
  const isWanted = new Set(wanted)
  const others = model.lanes.filter((lane) => !isWanted.has(lane))
  const staying = load === 'current' ? model.lanes : []
  const exclusions = new Set(model.lanes.flatMap((lane) => positive(lane.exclusions)))
  const resources = [...resourcesOf(model.lanes), ...exclusions]
  const nodes = model.nodes.map(({ name }) => name)
  const at = new Map(nodes.map((name, index) => [name, index]))
  const limits = sharedLimits(model)
  const bins = model.nodes.map(({ allocatable, base }) =>
    resources.map((resource) =>
      exclusions.has(resource)
        ? exclusionRoom
        : whole(resource, (allocatable[resource] ?? 0) - (base[resource] ?? 0), 'down'),
    ),
  )
  for (const lane of staying) takeWhatItHolds(lane, bins, at, sizeOf(lane, resources))
  const shared = limits.map(({ free, need }) =>
    Math.floor(staying.reduce((left, lane) => left - need(lane) * placedCount(lane), free)),
  )
  const itemOf = (lane: CapacityLane, count: number): PackingItem => ({
    count: Math.max(0, count),
    size: sizeOf(lane, resources),
    bins: lane.nodes.flatMap((name) => at.get(name) ?? []),
    shares: limits.map(({ need }) => Math.ceil(need(lane))),
  })
  const room = (lane: CapacityLane) =>
    (lane.maxRunners ?? unboundedMax) - (load === 'current' ? placedCount(lane) : 0)
  return {
    resources,
    exclusions,
    nodes,
    limits,
    wanted,
    packing: competingPart({
      bins,
      shared,
      required:
        load === 'current' ? [] : others.map((lane) => itemOf(lane, lane.maxRunners ?? placedCount(lane))),
      wanted: wanted.map((lane) => itemOf(lane, room(lane))),
    }),
  }
}

export function placedCount({ placed }: CapacityLane): number {
  return [...placed.values()].reduce((sum, count) => sum + count, 0)
}

function sizeOf({ amounts, exclusions }: CapacityLane, resources: readonly string[]): readonly number[] {
  return resources.map((resource) =>
    whole(resource, exclusions[resource] ?? amounts.requests[resource] ?? 0, 'up'),
  )
}

/** Only the nodes that have pods of the lane are visited: fleets have many lanes, each on few nodes. */
function takeWhatItHolds(
  { placed }: CapacityLane,
  bins: readonly number[][],
  at: ReadonlyMap<string, number>,
  size: readonly number[],
): void {
  for (const [node, count] of placed) {
    const free = bins[at.get(node) ?? -1]
    if (free === undefined) continue
    for (const [index, need] of size.entries()) free[index] = (free[index] as number) - need * count
  }
}

/** An amount as it was before it was made whole. */
export function amountOf(resource: string, wholeAmount: number): number {
  return wholeAmount / (scale[resource] ?? 1)
}

function whole(resource: string, amount: number, direction: 'up' | 'down'): number {
  const scaled = amount * (scale[resource] ?? 1)
  // A thousandth of a core is the least that Kubernetes counts: what is left below comes from floating point.
  const clean = Math.round(scaled * 1_000) / 1_000
  return direction === 'up' ? Math.ceil(clean) : Math.floor(clean)
}

function resourcesOf(lanes: readonly CapacityLane[]): readonly string[] {
  return [...new Set(lanes.flatMap(({ amounts }) => positive(amounts.requests)))]
}

function positive(amounts: Amounts): string[] {
  return Object.entries(amounts).flatMap(([name, amount]) => (amount > 0 ? [name] : []))
}

function sharedLimits({ quotas, storage }: CapacityModel): readonly SharedLimit[] {
  const quotaLimits = quotas.flatMap(({ namespace, name, free }) =>
    Object.entries(free).map(([resource, amount]) => {
      const unit = resource.endsWith('cpu') ? 1_000 : 1
      return {
        name: `quota ${namespace}/${name}, ${resource}`,
        free: amount * unit,
        need: (lane: CapacityLane) => (lane.namespace === namespace ? quotaNeedOf(lane, resource) * unit : 0),
      }
    }),
  )
  const storageLimits = [...storage].map(([storageClass, bytes]) => ({
    name: `storage class ${storageClass}`,
    free: bytes,
    need: (lane: CapacityLane) => sumOf(lane.claims.filter((claim) => claim.storageClass === storageClass)),
  }))
  return [...quotaLimits, ...storageLimits]
}

function quotaNeedOf({ amounts, claims }: CapacityLane, resource: string): number {
  if (resource === 'persistentvolumeclaims') return claims.length
  if (resource === 'requests.storage') return sumOf(claims)
  const [, storageClass, rest] = /^(.+)\.storageclass\.storage\.k8s\.io\/(.+)$/.exec(resource) ?? []
  if (storageClass !== undefined) {
    const own = claims.filter((claim) => claim.storageClass === storageClass)
    return rest === 'persistentvolumeclaims' ? own.length : sumOf(own)
  }
  return quotaNeed(amounts, resource)
}

function sumOf(claims: CapacityLane['claims']): number {
  return claims.reduce((sum, { bytes }) => sum + bytes, 0)
}
