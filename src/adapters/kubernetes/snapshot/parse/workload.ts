import type {
  DeploymentFact,
  EventFact,
  MachineFact,
  ServiceFact,
} from '../../../../domain/snapshot/index.ts'
import { imagesIn } from './container.ts'
import {
  type Cursor,
  count,
  each,
  flag,
  has,
  inside,
  name,
  number,
  textMap,
  texts,
  time,
  words,
} from './cursor.ts'
import { conditionsIn, objectFact } from './object.ts'

/** Arguments by which audits judge ARC's controller; any other may have a secret in it. */
const judgedArgs =
  /^--(?:update-strategy|watch-single-namespace|auto-scaling-runner-set-only|log-level|runner-max-concurrent-reconciles|k8s-client-rate-limiter-(?:qps|burst))=/

export function parseDeployment(deployment: Cursor): DeploymentFact {
  const spec = inside(deployment, 'spec')
  const podSpec = inside(inside(spec, 'template'), 'spec')
  const first = each(podSpec, 'containers')[0]
  return {
    ...objectFact(deployment),
    labels: textMap(inside(deployment, 'metadata'), 'labels'),
    replicas: number(spec, 'replicas') ?? 1,
    available: count(inside(deployment, 'status'), 'availableReplicas'),
    images: imagesIn(podSpec),
    args: first === undefined ? [] : texts(first, 'args').filter((arg) => judgedArgs.test(arg)),
  }
}

/** Without the addresses behind it, which EndpointSlices say. */
export function parseService(service: Cursor): ServiceFact & { readonly hasEndpoints: boolean } {
  const spec = inside(service, 'spec')
  return {
    ...objectFact(service),
    ports: each(spec, 'ports').flatMap((port) => number(port, 'port') ?? []),
    readyAddresses: null,
    hasEndpoints: name(spec, 'type') !== 'ExternalName',
  }
}

export interface EndpointSliceFact {
  readonly namespace: string
  readonly service: string | null
  readonly readyAddresses: readonly string[]
}

export function parseEndpointSlice(slice: Cursor): EndpointSliceFact {
  const metadata = inside(slice, 'metadata')
  const isReady = (endpoint: Cursor) => {
    const conditions = inside(endpoint, 'conditions')
    return !has(conditions, 'ready') || flag(conditions, 'ready')
  }
  return {
    namespace: name(metadata, 'namespace') ?? '',
    service: name(inside(metadata, 'labels'), 'kubernetes.io/service-name'),
    readyAddresses: each(slice, 'endpoints')
      .filter(isReady)
      .flatMap((endpoint) => texts(endpoint, 'addresses')),
  }
}

export function parseEvent(event: Cursor): EventFact {
  const subject = inside(event, 'involvedObject')
  const series = inside(event, 'series')
  const firstAt = time(event, 'firstTimestamp') ?? time(event, 'eventTime')
  return {
    namespace: name(inside(event, 'metadata'), 'namespace') ?? '',
    type: name(event, 'type') ?? 'Normal',
    reason: words(event, 'reason') ?? '',
    message: words(event, 'message') ?? '',
    subject: {
      kind: name(subject, 'kind') ?? '',
      name: name(subject, 'name') ?? '',
      uid: name(subject, 'uid'),
    },
    count: Math.max(1, count(series, 'count'), count(event, 'count')),
    firstAt,
    lastAt: time(series, 'lastObservedTime') ?? time(event, 'lastTimestamp') ?? firstAt,
  }
}

/** Cluster API's Machine. */
export function parseMachine(machine: Cursor): MachineFact {
  const status = inside(machine, 'status')
  return {
    ...objectFact(machine),
    phase: name(status, 'phase'),
    node: name(inside(status, 'nodeRef'), 'name'),
    version: name(inside(machine, 'spec'), 'version'),
    conditions: conditionsIn(status),
  }
}
