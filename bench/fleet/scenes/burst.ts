import { setTimeout as pause } from 'node:timers/promises'
import { median, percentile } from '../../report.ts'
import { type Ground, namespaces, poolLabels } from '../ground.ts'
import { createPollers, type Jit, type Pollers } from '../pollers.ts'
import { processorTimes } from '../processors.ts'
import { type Reading, readHoldfast, type Spent, spentBetween } from '../readings.ts'

export interface BurstPlan {
  /** Runners that come after the first, which is there before. */
  readonly count: number
  /** The added duration of each mint at the forge; 0: that of the simulated one. */
  readonly mintMs: number
  /** Whether pollers ask as soon as their pod is there, or when all are. */
  readonly asks: 'at once' | 'when all are there'
  /** Whether the news of all job starts come together, and their recording is timed. */
  readonly startsTogether: boolean
}

export interface Burst {
  readonly lastPodMs: number
  readonly lastJitMs: number
  readonly jitMs: { readonly p50: number; readonly p99: number }
  readonly startsPerSecond: number | null
  readonly jobs: number
  readonly runners: number
  readonly pods: number
  readonly spent: Spent
  readonly after: Reading
  /** The processor time by program until the last pod existed, in percent of one processor. */
  readonly processors: string
  readonly processorsOfStarts: string | null
  /** Where the way to a JIT takes its time. */
  readonly wayToJit: string
}

const queuedWithinMs = 120_000
const createdWithinMs = 180_000
const servedWithinMs = 240_000
const protectedWithinMs = 30_000

/**
 * Jobs wait in the ledger for a pool that may have one runner; then it may have as many as there are jobs, and the
 * clock starts. Jobs last until the last runner has its JIT: what their ends cost is not on the way to it. Ends when
 * every job is done and every pod gone.
 */
export async function burst(ground: Ground, plan: BurstPlan): Promise<Burst> {
  const { board, forge, ledger, relay } = ground
  const jobs = plan.count + 1
  const runnersBefore = await ledger.runners()
  let pods = board.present(namespaces.ours).length
  const unlisten = board.onPod(({ namespace }) => {
    if (namespace === namespaces.ours) pods += 1
  })
  const before = await readHoldfast(ground.life())
  await ground.pool({ maxRunners: 1 })
  await forge.submit(jobs, poolLabels)
  await ledger.untilJobs('queued', jobs, queuedWithinMs)
  await board.until(namespaces.ours, 1, createdWithinMs)
  if (plan.mintMs > 0) await forge.slowMints(jobs, plan.mintMs)
  const pollers = createPollers(ground, { isHeld: true })
  const processors = await processorTimes(ground)
  const lookedAt = await ledger.watchWaits()
  const first = board.present(namespaces.ours)
  const unplay = board.onPod((pod) => {
    if (plan.asks === 'at once' && pod.namespace === namespaces.ours) pollers.play(pod)
  })
  try {
    const began = performance.now()
    await ground.pool({ maxRunners: jobs })
    for (const pod of plan.asks === 'at once' ? first : []) pollers.play(pod)
    // Completed pods may be gone before the last one is created.
    const made = runnersBefore + jobs
    const lastPodAt =
      plan.asks === 'at once'
        ? await lastOf(ground, () => pods - first.length, plan.count)
        : await board.until(namespaces.ours, jobs, createdWithinMs)
    const used = await processors()
    for (const pod of plan.asks === 'at once' ? [] : board.present(namespaces.ours)) pollers.play(pod)
    await pollers.untilJits(jobs, servedWithinMs)
    const waited = await lookedAt()
    const starts = plan.startsTogether ? await timeStarts(ground, pollers, { jobs, before }) : null
    if (starts === null) {
      pollers.takeJobs()
      pollers.completeJobs()
    }
    await board.until(namespaces.ours, 0, servedWithinMs)
    await ledger.untilQuiet(servedWithinMs)
    const after = await readHoldfast(ground.life())
    const waits = pollers.jits.map(({ at }) => at - began).sort((a, b) => a - b)
    return {
      lastPodMs: lastPodAt - began,
      lastJitMs: waits.at(-1) as number,
      jitMs: { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) },
      startsPerSecond: starts?.perSecond ?? null,
      jobs,
      pods,
      after,
      processors: used,
      runners: (await ledger.runners()) - made + jobs,
      spent: spentBetween(before, after),
      wayToJit: `${wayOf(pollers.jits, before, after)}; connections of Postgres: ${waited}`,
      processorsOfStarts: starts?.processors ?? null,
    }
  } finally {
    unplay()
    unlisten()
    await pollers.close()
    await forge.forgetFaults()
    relay.forget()
    await ground.pool({ maxRunners: 1 })
  }
}

function wayOf(jits: readonly Jit[], before: Reading, after: Reading): string {
  const tokenMs = median(jits.map((jit) => jit.tokenMs))
  const askMs = median(jits.map((jit) => jit.askMs))
  const mintMs = (after.mints.ms - before.mints.ms) / (after.mints.count - before.mints.count)
  const parts = {
    'its token (by the bench)': tokenMs,
    'from its question to its JIT': askMs,
    'the mint': mintMs,
  }
  return Object.entries(parts)
    .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
    .join(', ')
}

async function lastOf({ board }: Ground, made: () => number, count: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const patience = setTimeout(
    () => reject(new Error(`${made()} of ${count} pods within ${createdWithinMs} ms`)),
    createdWithinMs,
  )
  const look = (): void => {
    if (made() >= count) resolve(performance.now())
  }
  const unlisten = board.onPod(look)
  look()
  return promise.finally(() => {
    clearTimeout(patience)
    unlisten()
  })
}

/** The runners take their jobs; what the forge says of it is kept until it is whole, and then sent. */
async function timeStarts(
  ground: Ground,
  pollers: Pollers,
  { jobs, before }: { readonly jobs: number; readonly before: Reading },
) {
  const { relay, ledger } = ground
  relay.hold('in_progress')
  pollers.takeJobs()
  const giveUpAt = performance.now() + servedWithinMs
  while (relay.held(jobNews) < jobs) {
    if (performance.now() > giveUpAt) throw new Error(`${relay.held(jobNews)} of ${jobs} jobs started`)
    await pause(20)
  }
  const processors = await processorTimes(ground)
  const waits = await ledger.watchWaits()
  const began = performance.now()
  await Promise.all([relay.release(jobNews), ledger.untilJobs('running', jobs, servedWithinMs)])
  const tookMs = performance.now() - began
  const used = `${await processors()}; connections of Postgres: ${await waits()}`
  await relay.release()
  await untilProtected(ground, podPatches(before) + jobs)
  pollers.completeJobs()
  return { perSecond: (jobs * 1_000) / tookMs, processors: used }
}

const jobNews = 'workflow_job'

/** Jobs last until their pods are marked as busy, as they would: it is part of what a runner's life costs. */
async function untilProtected(ground: Ground, patches: number): Promise<void> {
  const giveUpAt = performance.now() + protectedWithinMs
  while (podPatches(await readHoldfast(ground.life())) < patches && performance.now() < giveUpAt)
    await pause(200)
}

function podPatches({ requests }: Reading): number {
  return requests.get('patch pods') ?? 0
}
