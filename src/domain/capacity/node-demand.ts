import type { Amounts } from '../snapshot/index.ts'
import type { CapacityLane, CapacityModel } from './model.ts'
import { added, times } from './requests.ts'

/** The demand of lanes that can go nowhere else on a group of nodes when all of them are at their declared maximum. */
export interface NodeDemand {
  readonly nodes: readonly string[]
  readonly lanes: readonly string[]
  readonly rows: readonly {
    readonly resource: string
    readonly requested: number
    readonly allocatable: number
    /** Limits against what is allocatable: above 1 the nodes are overcommitted. */
    readonly overcommit: number
  }[]
}

/** For each group of nodes to which lanes are bound: requests at declared maximum, and how far limits go beyond the nodes. */
export function nodeDemands({ lanes, nodes }: CapacityModel): readonly NodeDemand[] {
  const groups = Map.groupBy(lanes, (lane) => lane.nodes.join())
  return [...groups.values()].flatMap((bound) => {
    const names = bound[0]?.nodes ?? []
    if (names.length === 0) return []
    const members = new Set(names)
    const allocatable = nodes
      .filter(({ name }) => members.has(name))
      .reduce<Amounts>((sum, node) => added(sum, node.allocatable), {})
    const requested = demandOf(bound, 'requests')
    const limits = demandOf(bound, 'limits')
    const rows = Object.keys({ ...requested, ...limits }).map((resource) => ({
      resource,
      requested: requested[resource] ?? 0,
      allocatable: allocatable[resource] ?? 0,
      overcommit: (limits[resource] ?? 0) / (allocatable[resource] ?? Number.POSITIVE_INFINITY),
    }))
    return [{ nodes: names, lanes: bound.map(({ name }) => name), rows }]
  })
}

function demandOf(lanes: readonly CapacityLane[], kind: 'requests' | 'limits'): Amounts {
  return lanes.reduce<Amounts>(
    (sum, { amounts, maxRunners }) => added(sum, times(amounts[kind], maxRunners ?? 0)),
    {},
  )
}
