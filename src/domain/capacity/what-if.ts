import type { CapacityModel } from './model.ts'

/** A change of the fleet that is only thought of. */
export type Supposition =
  | { readonly kind: 'node-gone'; readonly node: string }
  /** Nodes that are like one that is there, and empty but for what its own DaemonSets run. */
  | { readonly kind: 'nodes-added'; readonly like: string; readonly count: number }
  | { readonly kind: 'max-changed'; readonly set: string; readonly max: number }
  | { readonly kind: 'lane-moved'; readonly set: string; readonly node: string }
  | {
      readonly kind: 'quota-changed'
      readonly quota: string
      readonly resource: string
      readonly amount: number
    }

export type Supposed =
  | { readonly kind: 'model'; readonly model: CapacityModel }
  /** The supposition names something that is not there. */
  | { readonly kind: 'unknown'; readonly what: string; readonly known: readonly string[] }

/** The model as it would be. */
export function suppose(model: CapacityModel, supposition: Supposition): Supposed {
  switch (supposition.kind) {
    case 'node-gone':
      return withNode(model, supposition.node, () => withoutNode(model, supposition.node))
    case 'nodes-added':
      return withNode(model, supposition.like, () => withCopies(model, supposition.like, supposition.count))
    case 'max-changed':
      return withSet(model, supposition.set, (lane) => ({ ...lane, maxRunners: supposition.max }))
    case 'lane-moved':
      return withNode(model, supposition.node, () => model).kind === 'unknown'
        ? withNode(model, supposition.node, () => model)
        : withSet(model, supposition.set, (lane) => ({ ...lane, nodes: [supposition.node] }))
    case 'quota-changed':
      return withQuota(model, supposition)
  }
}

function withNode(model: CapacityModel, name: string, change: () => CapacityModel): Supposed {
  const known = model.nodes.map((node) => node.name)
  return known.includes(name)
    ? { kind: 'model', model: change() }
    : { kind: 'unknown', what: `node ${name}`, known }
}

/** Pods on a node that goes are gone with it: their runners start elsewhere. */
function withoutNode(model: CapacityModel, gone: string): CapacityModel {
  return {
    ...model,
    nodes: model.nodes.filter(({ name }) => name !== gone),
    lanes: model.lanes.map((lane) => ({
      ...lane,
      nodes: lane.nodes.filter((name) => name !== gone),
      placed: new Map([...lane.placed].filter(([name]) => name !== gone)),
    })),
  }
}

function withCopies(model: CapacityModel, like: string, count: number): CapacityModel {
  const original = model.nodes.find(({ name }) => name === like) as CapacityModel['nodes'][number]
  const names = Array.from({ length: count }, (_, index) => `${like}+${index + 1}`)
  return {
    ...model,
    nodes: [...model.nodes, ...names.map((name) => ({ ...original, name }))],
    lanes: model.lanes.map((lane) =>
      lane.nodes.includes(like) ? { ...lane, nodes: [...lane.nodes, ...names] } : lane,
    ),
  }
}

function withSet(
  model: CapacityModel,
  set: string,
  change: (lane: CapacityModel['lanes'][number]) => CapacityModel['lanes'][number],
): Supposed {
  const isMeant = ({ namespace, name }: { namespace: string; name: string }) =>
    set === name || set === `${namespace}/${name}`
  const known = model.lanes.map(({ namespace, name }) => `${namespace}/${name}`)
  if (model.lanes.filter(isMeant).length !== 1)
    return { kind: 'unknown', what: `one scale set ${set}`, known }
  return {
    kind: 'model',
    model: { ...model, lanes: model.lanes.map((lane) => (isMeant(lane) ? change(lane) : lane)) },
  }
}

/** The new hard limit takes the place of the old one; what others use of it stays used. */
function withQuota(
  model: CapacityModel,
  { quota, resource, amount }: Extract<Supposition, { kind: 'quota-changed' }>,
): Supposed {
  const known = model.quotas.map(({ namespace, name }) => `${namespace}/${name}`)
  if (!known.includes(quota)) return { kind: 'unknown', what: `quota ${quota}`, known }
  const quotas = model.quotas.map((each) => {
    if (`${each.namespace}/${each.name}` !== quota) return each
    const used = (each.hard[resource] ?? 0) - (each.free[resource] ?? 0)
    return {
      ...each,
      hard: { ...each.hard, [resource]: amount },
      free: { ...each.free, [resource]: amount - used },
    }
  })
  return { kind: 'model', model: { ...model, quotas } }
}
