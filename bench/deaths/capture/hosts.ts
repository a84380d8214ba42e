import { setTimeout as pause } from 'node:timers/promises'
import { createPodHost, type PodHost } from '../../../src/adapters/kubernetes/index.ts'
import { forEach } from '../../fleet/api.ts'
import { clock } from '../../ledger/ground.ts'
import { type CaptureGround, type EndName, endNames, namespace } from './ground.ts'

/** The pods' own site; nobody reaches that server. */
const site = {
  namespace,
  hostId: 'bench',
  serverUrl: 'http://holdfast.invalid',
  serviceAccount: 'default',
  pollerImage: 'holdfast.test/ended:1',
  audience: 'holdfast',
  tokenSeconds: 3_600,
  pollMs: 1_000,
}
const startedAtOnce = 4
const lookEveryMs = 500
const endedWithinMs = 300_000

/** A host that has read nothing yet, as after a restart; what it reads it would otherwise not read twice. */
export interface FreshHost {
  readonly host: PodHost
  stop(): Promise<void>
}

export async function freshHost({ ours, plans, log }: CaptureGround): Promise<FreshHost> {
  const stopping = new AbortController()
  const host = createPodHost({
    cluster: ours,
    writer: () => ours.writer,
    site,
    clock,
    log,
    plan: (pool) => plans.get(pool as EndName),
  })
  const running = host.run(stopping.signal)
  await host.whole(stopping.signal)
  return {
    host,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Pods of the real node, so many of each end, that have really run and ended; each is held for its record. */
export async function endedPods(
  ground: CaptureGround,
  count: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<EndName, readonly string[]>> {
  const { host, stop } = await freshHost(ground)
  const names = new Map(endNames.map((end) => [end, namesOf(end, count)]))
  const orders = [...names].flatMap(([pool, all]) => all.map((name) => ({ name, pool })))
  try {
    await forEach(orders, startedAtOnce, async ({ name, pool }) => {
      const outcome = await host.start({ name, pool, secret: '', avoidNodes: [] }, signal)
      if (outcome.kind !== 'started') throw new Error(`${name}: ${JSON.stringify(outcome)}`)
    })
    const giveUpAt = performance.now() + endedWithinMs
    for (;;) {
      const open = (await host.list()).filter(({ state }) => state !== 'exited').length
      if (open === 0) return names
      if (performance.now() > giveUpAt) throw new Error(`${open} pods have not ended`)
      await pause(lookEveryMs, undefined, { signal })
    }
  } finally {
    await stop()
  }
}

function namesOf(end: EndName, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${end}-${`${index}`.padStart(8, '0')}`)
}
