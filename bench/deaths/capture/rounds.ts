import { lifecycleLoop, reconcileAll } from '../../../src/controllers/runner/lifecycle/index.ts'
import { recoveryBounds } from '../../../src/domain/recovery/index.ts'
import { createRedactor } from '../../../src/domain/redact/index.ts'
import { createKeyedMutex } from '../../../src/loop/index.ts'
import { redactingLedger } from '../../../src/main/ledger/redacting-ledger.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'
import type { RunnerHost } from '../../../src/ports/runner-host.ts'
import { forEach, must } from '../../fleet/api.ts'
import { clock } from '../../ledger/ground.ts'
import { type CaptureGround, namespace } from './ground.ts'
import { freshHost } from './hosts.ts'
import type { Ledgers } from './ledgers.ts'
import { processorTimes, type Spans } from './spans.ts'

/** As many as the loop works on at a time. */
export const manyAtOnce = 32
const stopGraceMs = 2_000
const metrics = { count() {}, set() {}, observe() {} }

/** One way over all pods of one end. */
export interface Round {
  readonly wholeMs: number
  /** Of each record, from when it is begun with to when it is sealed; of the bare loop, to its last byte. */
  readonly eachMs: readonly number[]
  /** The processor time by program meanwhile, in ms. */
  readonly processors: string
}

/** The bare loop: the pod, then the log of its runner, and nothing is done with either. */
export async function bareRound(
  ground: CaptureGround,
  { pid }: Ledgers,
  names: readonly string[],
  atOnce: number,
): Promise<Round> {
  const { bare } = ground
  const eachMs: number[] = []
  const used = await processorTimes(ground, pid)
  const began = performance.now()
  await forEach(names, atOnce, async (name) => {
    const at = performance.now()
    const pod = `/api/v1/namespaces/${namespace}/pods/${name}`
    JSON.parse(must('pod', await bare.call('GET', pod)))
    must('log', await bare.call('GET', `${pod}/log?container=runner&tailLines=201`))
    eachMs.push(performance.now() - at)
  })
  const wholeMs = performance.now() - began
  return { wholeMs, eachMs, processors: await used(names.length) }
}

export interface OursOrder {
  readonly names: readonly string[]
  readonly atOnce: 1 | typeof manyAtOnce
  /** Whether pods are released once their record is sealed; then there are none for another round. */
  readonly isReleasing: boolean
  readonly spans: Spans
}

/** The lifecycle loop of the product, with its host, its masking and its ledger, on pods that ended unseen. */
export async function ourRound(ground: CaptureGround, ledgers: Ledgers, order: OursOrder): Promise<Round> {
  const { names, atOnce, isReleasing, spans } = order
  const { host, stop } = await freshHost({ ...ground, ours: spans.cluster(ground.ours) })
  const opened = await ledgers.fresh()
  const only = new Set(names)
  const beganAt = new Map<string, number>()
  const nameOf = new Map<number, string>()
  const sealedAt = new Map<string, number>()
  const watched: RunnerHost = {
    ...host,
    list: async () => (await host.list()).filter(({ name }) => only.has(name)),
    find(name, signal) {
      if (!beganAt.has(name)) beganAt.set(name, performance.now())
      return host.find(name, signal)
    },
    release: isReleasing ? spans.timed('release', host.release) : async () => {},
  }
  const inner = spans.ledger(opened.ledger)
  const ledger: Ledger = redactingLedger(
    {
      ...inner,
      // Runners of the other end are none of this round.
      runners: async (...given) => {
        const { rows, unreadable } = await inner.runners(...given)
        return { rows: rows.filter(({ name }) => only.has(name)), unreadable }
      },
      async findRunner(name) {
        const runner = await inner.findRunner(name)
        if (runner !== null) nameOf.set(runner.id, name)
        return runner
      },
      async sealDeath(runnerId, ...rest) {
        const outcome = await inner.sealDeath(runnerId, ...rest)
        sealedAt.set(nameOf.get(runnerId) ?? '', performance.now())
        return outcome
      },
    },
    createRedactor({}),
  )
  const bounded = { installation: 'bench', bounds: recoveryBounds }
  const deps = {
    ledger,
    host: watched,
    clock,
    metrics,
    log: ground.log,
    stopGraceMs,
    runnerMutex: createKeyedMutex(),
    ...bounded,
  }
  try {
    const used = await processorTimes(ground, ledgers.pid)
    const began = performance.now()
    if (atOnce === 1) await reconcileAll(deps)
    else await lifecycleLoop(deps).pass(new AbortController().signal)
    const wholeMs = isReleasing ? performance.now() - began : Math.max(...sealedAt.values()) - began
    const processors = await used(names.length)
    const records = await opened.records()
    if (records !== names.length) throw new Error(`${records} records of ${names.length} ends`)
    const eachMs = names.map((name) => (sealedAt.get(name) ?? 0) - (beganAt.get(name) ?? 0))
    return { wholeMs, eachMs, processors }
  } finally {
    await opened.close()
    await stop()
  }
}
