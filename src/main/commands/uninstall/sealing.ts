import { createPodHost, readHostId } from '../../../adapters/kubernetes/index.ts'
import { openLedger } from '../../../adapters/postgres/ledger/index.ts'
import { reconcileEach } from '../../../controllers/runner/lifecycle/index.ts'
import { scaledBounds } from '../../../domain/recovery/index.ts'
import { createKeyedMutex } from '../../../loop/index.ts'
import { createMetrics, firstSeen } from '../../../platform/metrics/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { openLedgerDatabase, redactingLedger } from '../../ledger/index.ts'
import type { UninstallDeps } from './deps.ts'

/** A cluster that can be listed is listed within this. */
const wholeWithinMs = 30_000
const graceMs = 30_000

export interface Sealing {
  /** Seals what ended and lets it go; gives what could not be, by runner. */
  sealEnded(signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  stop(): Promise<void>
}

/** Seals records as the leader does, without being one: a record is unique in the ledger, by any writer. */
export async function openSealing(
  { base, cluster, namespace }: Pick<UninstallDeps, 'base' | 'cluster' | 'namespace'>,
  signal: AbortSignal,
): Promise<Sealing> {
  const { config, clock, entropy, log } = base
  const stopping = new AbortController()
  const database = await openLedgerDatabase(base, signal)
  const { staleQueuedAfterMs } = config.recovery
  const ledger = await openLedger({
    database: database.pool,
    url: database.url,
    tls: database.tls,
    log,
    clock,
    entropy,
    staleQueuedAfterMs,
  })
  const metrics = createMetrics({ sets: { pools: firstSeen(1), routes: [], tasks: [] }, ofProcess: false })
  const host = createPodHost({
    cluster,
    writer: () => cluster.writer,
    plan: () => undefined,
    clock,
    log,
    site: {
      namespace,
      hostId: await readHostId(cluster, namespace, signal),
      audience: 'holdfast',
      tokenSeconds: 0,
      pollMs: config.dispatch.pollMs,
      serverUrl: '',
      pollerImage: '',
      serviceAccount: config.fleet.serviceAccount,
    },
  })
  const running = host.run(stopping.signal)
  const stop = async () => {
    stopping.abort()
    await running.catch(() => undefined) // it rejects because it was aborted
    await ledger[Symbol.asyncDispose]()
    await database.stop()
  }
  try {
    await host.whole(AbortSignal.any([signal, AbortSignal.timeout(wholeWithinMs)]))
  } catch (error) {
    await stop()
    throw error
  }
  const deps = {
    clock,
    ledger: redactingLedger<Ledger>(ledger, base.redactor),
    host,
    log,
    metrics,
    stopGraceMs: graceMs,
    runnerMutex: createKeyedMutex(),
    // A person takes everything away: nothing of it is held back.
    installation: 'uninstall',
    bounds: scaledBounds(Number.POSITIVE_INFINITY),
  }
  return {
    async sealEnded(own) {
      const failed = await reconcileEach(deps, own)
      return new Map([...failed].map(([name, { message }]) => [name, message]))
    },
    stop,
  }
}
