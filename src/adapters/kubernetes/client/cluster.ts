import type { Clock } from '../../../ports/clock.ts'
import type { ClusterObject, ClusterReader, ClusterWriter, NamespacedName } from '../../../ports/cluster.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Term } from '../../../ports/leadership.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { type Access, createAccess } from './access/access.ts'
import type { Connection } from './connection/credentials.ts'
import { createNamedEvents, createPodEvents, type NamedEvents, type PodEvents } from './events/pod-events.ts'
import { createElector, type Elector } from './lease/elector.ts'
import { createPodLogs, type PodLogs } from './logs/pod-logs.ts'
import { collectionPath } from './paths.ts'
import { createReads, type Reads } from './reads.ts'
import { listPages } from './reflector/list.ts'
import { createReflector, type Reflector, type ReflectorOptions } from './reflector/reflector.ts'
import { createReadIssuer } from './tokens/issuer.ts'
import { createIssuerKeys } from './tokens/issuer-keys.ts'
import { createReviewToken, type ReviewToken } from './tokens/review.ts'
import { createVerifyToken, type VerifyToken } from './tokens/verify.ts'
import { createAgents } from './transport/agents.ts'
import { createTransport, type Transport } from './transport/send.ts'
import { withRequestCount } from './transport/with-request-count.ts'
import { withRetries } from './transport/with-retries.ts'
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
    of: Pick<ReflectorOptions<T>, 'kind' | 'namespace' | 'labelSelector' | 'transform'>,
    signal: AbortSignal,
  ): Promise<readonly T[]>
  /** Reads whose cost is counted from now on. */
  countedReads(): Reads
  elector(lease: NamespacedName, identity: string, leaseMs?: number): Elector
  /** One try, since who waits for it asks again. */
  readonly reviewToken: ReviewToken
  /** By the keys that the API server publishes, which are read when the first token comes. */
  readonly verifyToken: VerifyToken
  readonly access: Access
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

/** Opens nothing by itself: the first request makes the first connection. */
export function createCluster({ connection, clock, entropy, log, ...rest }: ClusterOptions): Cluster {
  const agents = createAgents(connection.proxyUrl)
  const bare = createTransport({ connection, agents, clock })
  const single = rest.metrics === undefined ? bare : withRequestCount(bare, rest.metrics)
  const retried = (each: Transport) => withRetries(each, { clock, entropy })
  const transport = retried(single)
  const steadyMs = rest.steadyMs ?? (() => performance.now())
  return {
    namespace: connection.namespace,
    reader: createReader(transport),
    writer: createWriter(transport),
    logs: createPodLogs(transport, clock),
    events: createPodEvents(transport, clock),
    namedEvents: createNamedEvents(transport),
    writerOf: (term) => fencedWriter(transport, term),
    view: (options) => createReflector(options, { transport, clock, entropy, log }),
    async list({ kind, namespace, labelSelector, transform }, signal) {
      const found = []
      const path = collectionPath(kind, namespace)
      for await (const { objects } of listPages(transport, { path, labelSelector }, transform, signal))
        found.push(...objects)
      return found
    },
    countedReads: () => createReads(single, retried, clock),
    elector: (lease, identity, leaseMs) =>
      createElector({ lease, identity, leaseMs }, { transport: single, clock, steadyMs, entropy, log }),
    reviewToken: createReviewToken(single),
    verifyToken: createVerifyToken(
      createIssuerKeys({ readIssuer: createReadIssuer(single), clock, log }),
      clock,
    ),
    access: createAccess(transport),
    close: () => agents.close(),
  }
}
