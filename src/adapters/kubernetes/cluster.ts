import type { Clock } from '../../ports/clock.ts'
import type { ClusterObject, ClusterReader, ClusterWriter, Place } from '../../ports/cluster.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Term } from '../../ports/leadership.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import { type CheckAccess, createCheckAccess } from './access/check-access.ts'
import type { Connection } from './connection/credentials.ts'
import { createReadIssuer } from './identity/issuer.ts'
import { createIssuerKeys } from './identity/issuer-keys.ts'
import { createReviewToken, type ReviewToken } from './identity/review.ts'
import { createVerifyToken, type VerifyToken } from './identity/verify.ts'
import { createElector, type Elector } from './lease/elector.ts'
import { collectionPath } from './paths.ts'
import { createNamedEvents, createPodEvents, type NamedEvents, type PodEvents } from './pod-events.ts'
import { createPodLogs, type PodLogs } from './pod-logs.ts'
import { listPages } from './reflector/list.ts'
import { createReflector, type Reflector, type ReflectorOptions } from './reflector/reflector.ts'
import { createAgents } from './transport/agents.ts'
import { counted } from './transport/counted.ts'
import { patient } from './transport/patient.ts'
import { createWire } from './transport/send.ts'
import { fencedWriter } from './write/fenced.ts'
import { createReader, createWriter } from './write/writer.ts'

export interface ClusterOptions {
  readonly connection: Connection
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  /** Unset: nobody counts. */
  readonly metrics?: Pick<Metrics, 'count'> | undefined
  /** Milliseconds that never run backwards; unset: the machine's. */
  readonly steadyMs?: () => number
}

/** One cluster, as one identity. */
export interface Cluster {
  readonly namespace: string
  readonly reader: ClusterReader
  /** For what needs no leader: it is not fenced. */
  readonly writer: ClusterWriter
  readonly logs: PodLogs
  readonly events: PodEvents
  readonly namedEvents: NamedEvents
  /** For what only the leader may do. */
  writerOf(term: Term): ClusterWriter
  /** A view that is empty until it runs. */
  view<T extends ClusterObject>(options: ReflectorOptions<T>): Reflector<T>
  /** All objects of a kind at one moment, past every view; throws rather than give only some of them. */
  list<T extends ClusterObject>(
    of: Pick<ReflectorOptions<T>, 'kind' | 'namespace' | 'labelSelector' | 'keep'>,
    signal: AbortSignal,
  ): Promise<readonly T[]>
  elector(lease: Place, identity: string, leaseMs?: number): Elector
  /** One try, since who waits for it asks again. */
  readonly reviewToken: ReviewToken
  /** By the keys that the API server publishes, which are read when the first token comes. */
  readonly verifyToken: VerifyToken
  readonly checkAccess: CheckAccess
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

/** Opens nothing by itself: the first request makes the first connection. */
export function createCluster({ connection, clock, entropy, log, ...rest }: ClusterOptions): Cluster {
  const agents = createAgents(connection.proxyUrl)
  const bare = createWire({ connection, agents, clock })
  const single = rest.metrics === undefined ? bare : counted(bare, rest.metrics)
  const wire = patient(single, { clock, entropy })
  const steadyMs = rest.steadyMs ?? (() => performance.now())
  return {
    namespace: connection.namespace,
    reader: createReader(wire),
    writer: createWriter(wire),
    logs: createPodLogs(wire, clock),
    events: createPodEvents(wire, clock),
    namedEvents: createNamedEvents(wire),
    writerOf: (term) => fencedWriter(wire, term),
    view: (options) => createReflector(options, { wire, clock, entropy, log }),
    async list({ kind, namespace, labelSelector, keep }, signal) {
      const found = []
      const path = collectionPath(kind, namespace)
      for await (const { objects } of listPages(wire, { path, labelSelector }, keep, signal))
        found.push(...objects)
      return found
    },
    elector: (lease, identity, leaseMs) =>
      createElector({ lease, identity, leaseMs }, { wire: single, clock, steadyMs, entropy, log }),
    reviewToken: createReviewToken(single),
    verifyToken: createVerifyToken(
      createIssuerKeys({ readIssuer: createReadIssuer(single), clock, log }),
      clock,
    ),
    checkAccess: createCheckAccess(wire),
    close: () => agents.close(),
  }
}
