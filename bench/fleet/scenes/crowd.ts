import { setTimeout as pause } from 'node:timers/promises'
import { type Ground, namespaces } from '../ground.ts'
import { createPollers } from '../pollers.ts'
import { processorTimes } from '../processors.ts'
import { readHoldfast, type Spent, spentBetween } from '../readings.ts'

export interface Crowd {
  readonly count: number
  readonly growMs: number
  /** Processor time of Holdfast for each runner that came. */
  readonly cpuMsEach: number
  readonly stallGrowingMs: number
  readonly stallIdleMs: number
  readonly rssMb: number
  readonly rssPeakMb: number
  readonly memory: string
  /** Of one processor, while nothing happened. */
  readonly idleCpuPercent: number
  readonly idleSpent: Spent
  readonly processors: string
}

const grownWithinMs = 420_000
/** Waits until the burst is worked off and Holdfast is idle. */
const settleMs = 10_000

/** Pools of so many warm runners, one after the other, each of which asks for a job as it would; then nothing happens. */
export async function crowds(
  ground: Ground,
  sizes: readonly number[],
  idleMs: number,
  say: (line: string) => void,
): Promise<Crowd[]> {
  const { board, ledger } = ground
  const pollers = createPollers(ground, { isHeld: false })
  const unplay = board.onPod((pod) => {
    if (pod.namespace === namespaces.ours) pollers.play(pod)
  })
  const seen: Crowd[] = []
  try {
    for (const count of sizes) {
      const more = count - (seen.at(-1)?.count ?? 0)
      say(`${count} warm runners are asked for`)
      const before = await readHoldfast(ground.life())
      const processors = await processorTimes(ground)
      await ground.pool({ maxRunners: count, minWarm: count })
      await ledger.untilRunners('polling', count, grownWithinMs)
      const used = await processors()
      const grown = await readHoldfast(ground.life())
      say(`${count} wait for jobs; nothing happens for ${(settleMs + idleMs) / 1_000} s`)
      await pause(settleMs)
      const idle = await readHoldfast(ground.life())
      await pause(idleMs)
      const after = await readHoldfast(ground.life())
      seen.push({
        count,
        growMs: grown.at - before.at,
        cpuMsEach: (grown.cpuMs - before.cpuMs) / more,
        stallGrowingMs: grown.stallMs,
        stallIdleMs: after.stallMs,
        rssMb: after.rssMb,
        rssPeakMb: after.rssPeakMb,
        memory: after.memory,
        idleCpuPercent: ((after.cpuMs - idle.cpuMs) * 100) / (after.at - idle.at),
        idleSpent: spentBetween(idle, after),
        processors: used,
      })
    }
    return seen
  } finally {
    unplay()
    await pollers.close()
  }
}
