import { parseQuantity } from '../../../../domain/quantity.ts'

/** Amounts by the resource names of a quota: `requests.cpu`, `limits.memory`, `pods`. */
export type ResourceList = Readonly<Record<string, number>>

export interface ContainerResources {
  /** `Always` on an init container: a sidecar. */
  readonly restartPolicy?: string
  readonly resources?: {
    readonly requests?: Readonly<Record<string, unknown>>
    readonly limits?: Readonly<Record<string, unknown>>
  }
}

export interface PodResources {
  readonly containers: readonly ContainerResources[]
  readonly initContainers: readonly ContainerResources[]
  readonly overhead?: Readonly<Record<string, unknown>>
}

/**
 * The requests and limits of one pod, as the scheduler and a quota count them: all containers that run together, or the
 * init container that alone asks for more. Defaults that the cluster adds (LimitRange) are not in it.
 */
export function podRequests({ containers, initContainers, overhead = {} }: PodResources): ResourceList {
  const asks: Record<string, number> = { pods: 1, 'count/pods': 1 }
  for (const kind of ['requests', 'limits'] as const) {
    const containersTotal = total(containers.map((container) => amountsOf(container, kind)))
    let sidecars: ResourceList = {}
    let peak: ResourceList = {}
    for (const container of initContainers) {
      const own = amountsOf(container, kind)
      peak = most(peak, total([sidecars, own]))
      if (container.restartPolicy === 'Always') sidecars = total([sidecars, own])
    }
    const whole = total([most(total([containersTotal, sidecars]), peak), amounts(overhead)])
    for (const [name, amount] of Object.entries(whole)) asks[`${kind}.${name}`] = amount
  }
  return asks
}

/** The API takes a limit for a request where nothing else is said. */
function amountsOf({ resources = {} }: ContainerResources, kind: 'requests' | 'limits'): ResourceList {
  const limits = amounts(resources.limits)
  return kind === 'limits' ? limits : { ...limits, ...amounts(resources.requests) }
}

function amounts(given: Readonly<Record<string, unknown>> = {}): ResourceList {
  const read: Record<string, number> = {}
  for (const [name, value] of Object.entries(given)) {
    const amount = parseQuantity(value)
    if (amount !== null) read[name] = amount
  }
  return read
}

function total(all: readonly ResourceList[]): ResourceList {
  const sum: Record<string, number> = {}
  for (const each of all) {
    for (const [name, amount] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + amount
  }
  return sum
}

function most(a: ResourceList, b: ResourceList): ResourceList {
  const result: Record<string, number> = { ...a }
  for (const [name, amount] of Object.entries(b)) result[name] = Math.max(result[name] ?? 0, amount)
  return result
}
