import { createPodHost, readHostId } from '../../adapters/kubernetes/index.ts'
import { openLedger } from '../../adapters/postgres/ledger/index.ts'
import { reconcileEach } from '../../controllers/runner/lifecycle/index.ts'
import { scaledBounds } from '../../domain/recovery/index.ts'
import { createTurns } from '../../loop/index.ts'
import { createMetrics, firstSeen } from '../../platform/metrics/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import { maskedLedger } from '../masked-ledger.ts'
import { openStore } from '../store.ts'
import type { CarryOut } from './deps.ts'

/** A cluster that can be listed is listed within this. */
const WHOLE_WITHIN_MS = 30_000
const GRACE_MS = 30_000

export interface Sealing {
  /** Seals what ended and lets it go; gives what could not be, by runner. */
  sealEnded(signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  stop(): Promise<void>
}

/** Seals records as the leader does, without being one: a record is unique in the ledger, whoever writes it. */
export async function openSealing(
  { base, cluster, namespace }: Pick<CarryOut, 'base' | 'cluster' | 'namespace'>,
  signal: AbortSignal,
): Promise<Sealing> {
  const { config, clock, log } = base
  const stopping = new AbortController()
  const store = await openStore(base, signal)
  const { staleQueuedAfterMs } = config.recovery
  const ledger = await openLedger({ ...base, ...store, staleQueuedAfterMs })
  const metrics = createMetrics({ sets: { pools: firstSeen(1), routes: [], tasks: [] }, ofProcess: false })
  const host = createPodHost({
    ...{ cluster, writer: () => cluster.writer, plan: () => undefined, clock, log },
    site: {
      ...{ namespace, hostId: await readHostId(cluster, namespace, signal), audience: 'holdfast' },
      ...{ tokenSeconds: 0, pollMs: config.dispatch.pollMs, serverUrl: '', pollerImage: '' },
      serviceAccount: config.fleet.serviceAccount,
    },
  })
  const running = host.run(stopping.signal)
  const stop = async () => {
    stopping.abort()
    await running.catch(() => undefined) // it was only told to end
    await ledger[Symbol.asyncDispose]()
    await store.stop()
  }
  try {
    await host.whole(AbortSignal.any([signal, AbortSignal.timeout(WHOLE_WITHIN_MS)]))
  } catch (error) {
    await stop()
    throw error
  }
  const deps = {
    clock,
    ledger: maskedLedger<Ledger>(ledger, base.redactor),
    host,
    log,
    metrics,
    stopGraceMs: GRACE_MS,
    turns: createTurns(),
    // A person takes everything away: nothing of it is held back.
    ...{ installation: 'uninstall', bounds: scaledBounds(Number.POSITIVE_INFINITY) },
  }
  return {
    async sealEnded(own) {
      const failed = await reconcileEach(deps, own)
      return new Map([...failed].map(([name, { message }]) => [name, message]))
    },
    stop,
  }
}
