import { quantityOf } from './quantity.ts'

/** Amounts by the names of a quota: `requests.cpu`, `limits.memory`, `pods`. */
export type Amounts = Readonly<Record<string, number>>

export interface AskingContainer {
  /** `Always` on an init container: it runs beside the others. */
  readonly restartPolicy?: string
  readonly resources?: {
    readonly requests?: Readonly<Record<string, unknown>>
    readonly limits?: Readonly<Record<string, unknown>>
  }
}

export interface AskingPod {
  readonly containers: readonly AskingContainer[]
  readonly initContainers: readonly AskingContainer[]
  readonly overhead?: Readonly<Record<string, unknown>>
}

/**
 * What one pod takes of a quota and of a node, as the scheduler counts it: all containers that run together, or the
 * init container that alone asks for more. Defaults that the cluster adds (LimitRange) are not in it.
 */
export function podAsks({ containers, initContainers, overhead = {} }: AskingPod): Amounts {
  const asks: Record<string, number> = { pods: 1, 'count/pods': 1 }
  for (const kind of ['requests', 'limits'] as const) {
    const together = total(containers.map((container) => amountsOf(container, kind)))
    let beside: Amounts = {}
    let peak: Amounts = {}
    for (const container of initContainers) {
      const own = amountsOf(container, kind)
      peak = most(peak, total([beside, own]))
      if (container.restartPolicy === 'Always') beside = total([beside, own])
    }
    const whole = total([most(total([together, beside]), peak), amounts(overhead)])
    for (const [name, amount] of Object.entries(whole)) asks[`${kind}.${name}`] = amount
  }
  return asks
}

/** The API takes a limit for a request where nothing else is said. */
function amountsOf({ resources = {} }: AskingContainer, kind: 'requests' | 'limits'): Amounts {
  const limits = amounts(resources.limits)
  return kind === 'limits' ? limits : { ...limits, ...amounts(resources.requests) }
}

function amounts(given: Readonly<Record<string, unknown>> = {}): Amounts {
  const read: Record<string, number> = {}
  for (const [name, value] of Object.entries(given)) {
    const amount = quantityOf(value)
    if (amount !== null) read[name] = amount
  }
  return read
}

function total(all: readonly Amounts[]): Amounts {
  const sum: Record<string, number> = {}
  for (const each of all) {
    for (const [name, amount] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + amount
  }
  return sum
}

function most(a: Amounts, b: Amounts): Amounts {
  const result: Record<string, number> = { ...a }
  for (const [name, amount] of Object.entries(b)) result[name] = Math.max(result[name] ?? 0, amount)
  return result
}
