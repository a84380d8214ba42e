import type { Amounts, ContainerSpecFact, LimitRangeFact, PodTemplateFact } from '../snapshot/index.ts'

/** The amounts that one pod asks of its node, as the scheduler counts them. */
export interface PodAmounts {
  readonly requests: Amounts
  readonly limits: Amounts
}

/**
 * Requests and limits of a pod from its template: all containers that run together, or the init container that alone needs
 * more, and the overhead of its runtime. Defaults of the namespace's limit ranges stand where a container says nothing, as
 * the API server fills them in.
 */
export function podAmounts(
  { containers, overhead }: Pick<PodTemplateFact, 'containers' | 'overhead'>,
  limitRanges: readonly LimitRangeFact[] = [],
): PodAmounts {
  const filled = containers.map((container) => withDefaults(container, limitRanges))
  return {
    requests: added(together(filled, 'requests'), overhead),
    limits: added(together(filled, 'limits'), overhead),
  }
}

export function added(a: Amounts, b: Amounts): Amounts {
  const sum: Record<string, number> = { ...a }
  for (const [name, amount] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + amount
  return sum
}

export function times(amounts: Amounts, count: number): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * count]))
}

function withDefaults(
  container: ContainerSpecFact,
  limitRanges: readonly LimitRangeFact[],
): ContainerSpecFact {
  const ranges = limitRanges.flatMap(({ limits }) => limits.filter(({ type }) => type === 'Container'))
  const limits = { ...merged(ranges.map(({ defaultLimits }) => defaultLimits)), ...container.limits }
  // A limit that the container names itself is its request before any default is.
  const defaults = merged(ranges.map(({ defaultRequests }) => defaultRequests))
  return {
    ...container,
    limits,
    requests: { ...limits, ...defaults, ...container.limits, ...container.requests },
  }
}

function merged(all: readonly Amounts[]): Amounts {
  return Object.assign({}, ...all) as Amounts
}

function together(containers: readonly ContainerSpecFact[], kind: 'requests' | 'limits'): Amounts {
  let sidecars: Amounts = {}
  let peak: Amounts = {}
  for (const container of containers.filter(({ isInit }) => isInit)) {
    peak = most(peak, added(sidecars, container[kind]))
    if (container.isSidecar) sidecars = added(sidecars, container[kind])
  }
  const running = containers
    .filter(({ isInit }) => !isInit)
    .reduce((sum, each) => added(sum, each[kind]), sidecars)
  return most(running, peak)
}

function most(a: Amounts, b: Amounts): Amounts {
  const result: Record<string, number> = { ...a }
  for (const [name, amount] of Object.entries(b)) result[name] = Math.max(result[name] ?? 0, amount)
  return result
}
