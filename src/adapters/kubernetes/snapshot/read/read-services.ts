import { isWhole, type Listing, type ServiceFact } from '../../../../domain/snapshot/index.ts'
import type { ReadContext } from './context.ts'
import { endpointSlices, services } from './kinds.ts'
import { listKind } from './list-kind.ts'

/** Services with the number of ready addresses behind each. */
export async function readServices(
  namespaces: readonly string[] | null,
  context: ReadContext,
): Promise<Listing<ServiceFact>> {
  const [found, slices] = await Promise.all([
    listKind(services, namespaces, context),
    listKind(endpointSlices, namespaces, context),
  ])
  const ready = new Map<string, Set<string>>()
  for (const { namespace, service, readyAddresses } of slices.items) {
    const key = `${namespace}/${service}`
    const addresses = ready.get(key) ?? new Set()
    ready.set(key, addresses)
    for (const address of readyAddresses) addresses.add(address)
  }
  const items = found.items.map(({ hasEndpoints, ...service }) => {
    const addresses = ready.get(`${service.namespace}/${service.name}`)?.size ?? 0
    return { ...service, readyAddresses: hasEndpoints && isWhole(slices) ? addresses : null }
  })
  return { ...found, items, unread: [...found.unread, ...slices.unread] }
}
