import type { ObjectRef } from '../../snapshot/index.ts'

/** An address, as far as it names a Service of the cluster. */
export interface Endpoint {
  readonly host: string
  /** Null where the address is certainly outside the cluster, or is none. */
  readonly service: ObjectRef | null
  /** `name.namespace` may also be a name outside the cluster; with `.svc` it is not. */
  readonly isCertain: boolean
}

export function endpointOf(server: string, namespace: string): Endpoint {
  const host = hostOf(server)
  const [name = '', where, svc] = host.split('.')
  if (where === undefined)
    return { host, service: name === '' ? null : { namespace, name }, isCertain: name !== '' }
  return { host, service: { namespace: where, name }, isCertain: svc === 'svc' }
}

/** The host of a URL or of a bare address, without its port. */
export function hostOf(server: string): string {
  const [authority = ''] = server
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .split('/')
  return authority.replace(/:\d{1,5}$/, '').toLowerCase()
}
