import type { NodeExpression, NodeFact, PodFact, PodRulesFact, PodTermFact } from '../snapshot/index.ts'
import { expressionHolds } from './placement.ts'

/** A lane as rules about pods see it. */
export interface RuledLane {
  readonly namespace: string
  readonly name: string
  /** Labels of its pods. */
  readonly podLabels: Readonly<Record<string, string>>
  /** Null: not known. */
  readonly rules: PodRulesFact | null
  readonly nodes: readonly string[]
}

/** The placement of a lane under rules about other pods. */
export interface RuledPlacement {
  readonly nodes: readonly string[]
  /** Needs by exclusion, of which every node has `exclusionRoom`: so a rule between pods on one node is a sum. */
  readonly exclusions: Readonly<Record<string, number>>
}

/** More pods than a node takes: one that excludes all others needs the whole of it, each of the others one part. */
export const exclusionRoom = 100_000

/**
 * Required pod affinity and anti-affinity. Exact are: pods that are there and belong to no lane, in any topology; and a lane
 * that keeps off itself, alone or with others, by node. Everything else is said, and the figures are then at most so many.
 */
export function ruledPlacements(
  lanes: readonly RuledLane[],
  nodes: readonly NodeFact[],
  basePods: readonly PodFact[],
): { readonly placements: readonly RuledPlacement[]; readonly unknown: readonly string[] } {
  const unknown: string[] = []
  const placedBase = basePods.filter(({ node }) => node !== null)
  const repelling = placedBase.filter(({ podRules }) => (podRules?.antiAffinity.length ?? 0) > 0)
  const nodeByName = new Map(nodes.map((node) => [node.name, node]))
  const exclusions: Record<string, number>[] = lanes.map(() => ({}))
  const allowed = lanes.map(({ nodes: names }) => new Set(names))

  for (const [index, lane] of lanes.entries()) {
    const say = (what: string): void => {
      unknown.push(`${lane.namespace}/${lane.name}: ${what}; its figures are at most so many`)
    }
    if (lane.rules === null) continue
    for (const key of new Set(lane.rules.spread)) say(`topology spread by ${key} is not in the model`)
    for (const [at, term] of lane.rules.antiAffinity.entries()) keepOff(index, at, term, say)
    for (const term of lane.rules.affinity) keepNear(index, term, say)
    for (const pod of repelling)
      for (const term of pod.podRules?.antiAffinity ?? [])
        if (meets(term, pod.namespace, lane)) remove(index, domainOf(term, pod.node))
  }
  return {
    placements: lanes.map((_, index) => ({
      nodes: [...(allowed[index] as Set<string>)],
      exclusions: exclusions[index] as Record<string, number>,
    })),
    unknown,
  }

  function keepOff(index: number, at: number, term: PodTermFact, say: (what: string) => void): void {
    const lane = lanes[index] as RuledLane
    for (const pod of placedBase)
      if (meetsPod(term, lane.namespace, pod)) remove(index, domainOf(term, pod.node))
    const met = lanes.flatMap((each, other) => (meets(term, lane.namespace, each) ? [other] : []))
    if (!term.isWhole) {
      say(`a part of its anti-affinity by ${term.topologyKey} is not in the snapshot`)
      return
    }
    if (met.length === 0) return
    if (!isByNode(term.topologyKey, nodes)) {
      say(`anti-affinity between runners by ${term.topologyKey} is not in the model`)
      return
    }
    if (!met.includes(index)) {
      say(`anti-affinity against ${met.map((other) => lanes[other]?.name).join(', ')} is not in the model`)
      return
    }
    const name = `anti-affinity ${at + 1} of ${lane.namespace}/${lane.name}`
    for (const other of met)
      (exclusions[other] as Record<string, number>)[name] = other === index ? exclusionRoom : 1
  }

  function keepNear(index: number, term: PodTermFact, say: (what: string) => void): void {
    const lane = lanes[index] as RuledLane
    const what = `affinity by ${term.topologyKey}`
    if (!term.isWhole) {
      say(`a part of its ${what} is not in the snapshot`)
      return
    }
    if (lanes.some((each) => meets(term, lane.namespace, each))) {
      say(`${what} to runners is not in the model`)
      return
    }
    const near = new Set(
      placedBase
        .filter((pod) => meetsPod(term, lane.namespace, pod))
        .flatMap((pod) => domainOf(term, pod.node)),
    )
    for (const name of lane.nodes) if (!near.has(name)) allowed[index]?.delete(name)
  }

  function remove(index: number, names: readonly string[]): void {
    for (const name of names) allowed[index]?.delete(name)
  }

  /** The nodes of one domain with a node; none where it has no label of that topology. */
  function domainOf({ topologyKey }: PodTermFact, name: string | null): readonly string[] {
    const value = nodeByName.get(name ?? '')?.labels[topologyKey]
    if (value === undefined) return []
    return nodes.filter(({ labels }) => labels[topologyKey] === value).map((node) => node.name)
  }
}

function isByNode(topologyKey: string, nodes: readonly NodeFact[]): boolean {
  const values = nodes.map(({ labels }) => labels[topologyKey])
  return !values.includes(undefined) && new Set(values).size === values.length
}

function meetsPod(term: PodTermFact, ownNamespace: string, { namespace, labels }: PodFact): boolean {
  return meets(term, ownNamespace, { namespace, podLabels: labels })
}

function meets(
  { selector, namespaces }: PodTermFact,
  ownNamespace: string,
  { namespace, podLabels }: Pick<RuledLane, 'namespace' | 'podLabels'>,
): boolean {
  const among =
    namespaces === null || (namespaces.length === 0 ? [ownNamespace] : namespaces).includes(namespace)
  return among && (selector?.every((each) => holdsFor(each, podLabels)) ?? false)
}

function holdsFor(expression: NodeExpression, labels: Readonly<Record<string, string>>): boolean {
  return expressionHolds(expression, labels[expression.key])
}
