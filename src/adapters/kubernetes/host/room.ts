import type { Trouble } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import type { Room } from '../../../ports/runner-host.ts'
import type { Amounts } from './asks.ts'
import { readNode } from './nodes.ts'
import type { NodeObject, QuotaObject } from './objects.ts'
import { type Prototype, toleratesAll } from './prototype.ts'
import { quantityOf } from './quantity.ts'
import type { Taken } from './taken.ts'

export interface RoomFacts {
  readonly prototype: Prototype
  readonly quotas: readonly QuotaObject[]
  readonly nodes: readonly NodeObject[]
  /** By ours. What others run on the nodes is not watched: the nodes' word is a ceiling, not a promise. */
  readonly taken: Taken
  /** Made by us and not among the pods yet. */
  readonly unseen: number
  /** Whether somebody adds nodes where pods wait for one: then the nodes there are bound nothing. */
  readonly nodesMayGrow: boolean
  readonly now: Instant
}

interface Bound {
  readonly more: number
  readonly trouble: Pick<Trouble, 'kind' | 'message'>
}

/** How many more pods of this kind the quotas and the nodes can take. */
export function readRoom(facts: RoomFacts): Room {
  const bounds = facts.quotas.flatMap((quota) => quotaBounds(quota, facts.prototype.asks))
  if (!facts.nodesMayGrow) bounds.push(nodeBound(facts))
  let least: Bound | null = null
  for (const bound of bounds) if (least === null || bound.more < least.more) least = bound
  if (least === null) return { more: null, trouble: null }
  return { more: least.more, trouble: least.more > 0 ? null : { ...least.trouble, since: facts.now } }
}

/** A quota for some pods only may or may not concern ours: the cluster says so when it is asked for one. */
function quotaBounds({ metadata, isScoped, hard, used }: QuotaObject, asks: Amounts): Bound[] {
  if (isScoped) return []
  return Object.entries(hard).flatMap(([resource, limit]) => {
    const ask = asks[resource] ?? asks[`requests.${resource}`] ?? 0
    const [most, taken] = [quantityOf(limit), quantityOf(used[resource] ?? 0)]
    if (ask <= 0 || most === null || taken === null) return []
    const message = `quota "${metadata.name}" allows ${resource} ${limit}, of which ${used[resource] ?? 0} is used`
    return [{ more: fitting(most - taken, ask), trouble: { kind: 'QuotaExceeded', message } } as const]
  })
}

function nodeBound({ prototype, nodes, taken, unseen }: RoomFacts): Bound {
  const waiting = taken.waiting + unseen
  const usable = nodes.filter((node) => isUsable(node, prototype))
  const fit = usable.reduce((sum, node) => sum + fittingOn(node, prototype.asks, taken.on), 0)
  const message =
    usable.length === 0
      ? `none of ${nodes.length} node(s) is ready, open and fit for it`
      : `the ${usable.length} node(s) that are ready, open and fit for it hold ${fit} more, and ${waiting} wait already`
  return { more: Math.max(0, fit - waiting), trouble: { kind: 'NoHealthyNode', message } }
}

function isUsable(node: NodeObject, prototype: Prototype): boolean {
  const { isReady, isCordoned } = readNode(node)
  const has = node.metadata.labels ?? {}
  const isSelected = Object.entries(prototype.nodeSelector).every(([key, value]) => has[key] === value)
  return isReady && !isCordoned && isSelected && toleratesAll(prototype, node.taints)
}

function fittingOn(
  { metadata, allocatable }: NodeObject,
  asks: Amounts,
  takenOn: ReadonlyMap<string, Amounts>,
): number {
  const taken = takenOn.get(metadata.name) ?? {}
  let fit = Number.MAX_SAFE_INTEGER
  for (const [name, ask] of Object.entries(asks)) {
    const resource = name === 'pods' ? name : name.startsWith('requests.') ? name.slice(9) : null
    if (resource === null || ask <= 0) continue
    fit = Math.min(fit, fitting((quantityOf(allocatable[resource]) ?? 0) - (taken[name] ?? 0), ask))
  }
  return fit
}

/** Fractions of a millicore are no reason to lose one. */
function fitting(free: number, ask: number): number {
  return Math.max(0, Math.floor(free / ask + 1e-9))
}
