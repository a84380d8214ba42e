import type { StartProblem } from '../../../../domain/pool/index.ts'
import { parseQuantity } from '../../../../domain/quantity.ts'
import type { Instant } from '../../../../ports/clock.ts'
import type { Headroom } from '../../../../ports/runner-host.ts'
import type { NodeObject, QuotaObject } from '../objects/objects.ts'
import { type Prototype, toleratesAll } from '../prototype.ts'
import { hostNodeOf } from '../status/nodes.ts'
import type { ResourceList } from './requests.ts'
import type { ResourceUsage } from './usage.ts'

export interface HeadroomFacts {
  readonly prototype: Prototype
  readonly quotas: readonly QuotaObject[]
  readonly nodes: readonly NodeObject[]
  /** Of our pods. Foreign pods on the nodes are not watched: the nodes give a ceiling, not a promise. */
  readonly usage: ResourceUsage
  /** Pods that we created and that no watch has shown yet. */
  readonly pendingCreates: number
  /** Whether an autoscaler adds nodes for pending pods: then the present nodes bound nothing. */
  readonly nodesMayGrow: boolean
  readonly now: Instant
}

interface Bound {
  readonly more: number
  readonly problem: Pick<StartProblem, 'kind' | 'message'>
}

/** How many more pods of this kind the quotas and the nodes can take. */
export function headroomOf(facts: HeadroomFacts): Headroom {
  const bounds = facts.quotas.flatMap((quota) => quotaBounds(quota, facts.prototype.requests))
  if (!facts.nodesMayGrow) bounds.push(nodeBound(facts))
  let least: Bound | null = null
  for (const bound of bounds) if (least === null || bound.more < least.more) least = bound
  if (least === null) return { more: null, problem: null }
  return { more: least.more, problem: least.more > 0 ? null : { ...least.problem, since: facts.now } }
}

/** A quota for some pods only may or may not concern ours: the cluster says so when it is asked for one. */
function quotaBounds({ metadata, isScoped, hard, used }: QuotaObject, asks: ResourceList): Bound[] {
  if (isScoped) return []
  return Object.entries(hard).flatMap(([resource, limit]) => {
    const ask = asks[resource] ?? asks[`requests.${resource}`] ?? 0
    const [most, usedNow] = [parseQuantity(limit), parseQuantity(used[resource] ?? 0)]
    if (ask <= 0 || most === null || usedNow === null) return []
    const message = `quota "${metadata.name}" allows ${resource} ${limit}, of which ${used[resource] ?? 0} is used`
    return [{ more: fitting(most - usedNow, ask), problem: { kind: 'QuotaExceeded', message } } as const]
  })
}

function nodeBound({ prototype, nodes, usage, pendingCreates }: HeadroomFacts): Bound {
  const waiting = usage.unscheduled + pendingCreates
  const usable = nodes.filter((node) => isUsable(node, prototype))
  const fit = usable.reduce((sum, node) => sum + fittingOn(node, prototype.requests, usage.byNode), 0)
  const message =
    usable.length === 0
      ? `none of ${nodes.length} node(s) is ready, open and fit for it`
      : `the ${usable.length} node(s) that are ready, open and fit for it hold ${fit} more, and ${waiting} wait already`
  return { more: Math.max(0, fit - waiting), problem: { kind: 'NoHealthyNode', message } }
}

function isUsable(node: NodeObject, prototype: Prototype): boolean {
  const { isReady, isCordoned } = hostNodeOf(node)
  const has = node.metadata.labels ?? {}
  const isSelected = Object.entries(prototype.nodeSelector).every(([key, value]) => has[key] === value)
  return isReady && !isCordoned && isSelected && toleratesAll(prototype, node.taints)
}

function fittingOn(
  { metadata, allocatable }: NodeObject,
  asks: ResourceList,
  takenOn: ReadonlyMap<string, ResourceList>,
): number {
  const usage = takenOn.get(metadata.name) ?? {}
  let fit = Number.MAX_SAFE_INTEGER
  for (const [name, ask] of Object.entries(asks)) {
    const resource = name === 'pods' ? name : name.startsWith('requests.') ? name.slice(9) : null
    if (resource === null || ask <= 0) continue
    fit = Math.min(fit, fitting((parseQuantity(allocatable[resource]) ?? 0) - (usage[name] ?? 0), ask))
  }
  return fit
}

/** Fractions of a millicore are no reason to lose one. */
function fitting(free: number, ask: number): number {
  return Math.max(0, Math.floor(free / ask + 1e-9))
}
