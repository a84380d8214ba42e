import type { Metrics } from '../../../../ports/metrics.ts'
import type { ApiRequest } from './request.ts'
import type { Transport } from './send.ts'

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const

/** Counts every try, by what it does to which kind: what Holdfast costs its cluster is there to be read. */
export function withRequestCount(transport: Transport, metrics: Pick<Metrics, 'count'>): Transport {
  const count = (request: ApiRequest) =>
    metrics.count('holdfast_cluster_requests_total', { verb: verbOf(request), kind: kindOf(request.path) })
  return {
    send(request, signal) {
      count(request)
      return transport.send(request, signal)
    },
    stream(request, signal) {
      count(request)
      return transport.stream(request, signal)
    },
  }
}

function verbOf({ method, query, path }: ApiRequest): string {
  if (method !== 'GET') return verbs[method]
  if (path.endsWith('/log')) return 'log'
  return query?.watch === undefined || query.watch === false ? 'read' : 'watch'
}

/** `/apis/<group>/<version>` or `/api/<version>`, perhaps `/namespaces/<name>`, then the kind. */
function kindOf(path: string): string {
  const steps = path.split('/').slice(1)
  if (steps[0] !== 'api' && steps[0] !== 'apis') return steps.at(-1) ?? '' // what it says of itself
  const below = steps.slice(steps[0] === 'api' ? 2 : 3)
  return (below[0] === 'namespaces' && below.length > 2 ? below[2] : below[0]) ?? ''
}
