import { isError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterFactsReader } from '../../../ports/cluster-facts.ts'
import { type Cluster, type Fields, fields, type Reads, text } from '../client/index.ts'
import { createMask } from './parse/mask.ts'
import type { ReadContext } from './read/context.ts'
import { createGate } from './read/gate.ts'
import { readFacts } from './read/read-facts.ts'

/** The API server serves others too. */
const listsAtOnceMax = 6
const nodesAtOnceMax = 8
const versionTimeoutMs = 10_000
/** A person waits for it; what is not read by then is unread. */
const readingMsMax = 120_000

export interface ClusterFactsDeps {
  readonly cluster: Pick<Cluster, 'countedReads'>
  readonly clock: Clock
  /** As people call it; null where nobody says. */
  readonly clusterName: string | null
}

/** Reads the facts of a cluster for a snapshot, by plain reads alone. */
export function createClusterFactsReader({
  cluster,
  clock,
  clusterName,
}: ClusterFactsDeps): ClusterFactsReader {
  return {
    async readClusterFacts({ scope, hash, onProgress = () => {} }, callers) {
      const since = clock.now()
      const reads = cluster.countedReads()
      const clusterVersion = await readVersion(reads, callers)
      const overdue = new AbortController()
      const cancel = clock.after(readingMsMax, () =>
        overdue.abort(
          new Error(`it was not read within ${readingMsMax / 1_000} s, the most that a reading takes`),
        ),
      )
      const context: ReadContext = {
        reads,
        clock,
        mask: createMask(),
        listGate: createGate(listsAtOnceMax),
        nodeGate: createGate(nodesAtOnceMax),
        progress: onProgress,
        signal: AbortSignal.any([callers, overdue.signal]),
        callers,
      }
      try {
        const facts = await readFacts(scope, hash, context)
        return { clusterName, clusterVersion, facts, cost: { ...reads.cost(), ms: clock.now() - since } }
      } finally {
        cancel()
      }
    },
  }
}

/** The first request: a cluster that does not answer it answers nothing. Null where it may not be read. */
async function readVersion(reads: Reads, signal: AbortSignal): Promise<string | null> {
  try {
    const answer: Fields = fields(await reads.get('/version', versionTimeoutMs, signal))
    return text(answer.gitVersion) ?? null
  } catch (error) {
    if (isError(error, 'E_CLUSTER_REFUSED') && error.params.code === 403) return null
    throw error
  }
}
