import { connectionsMax, forEach } from '../api.ts'
import { type Ground, namespaces, poolLabels } from '../ground.ts'
import { createPollers } from '../pollers.ts'
import { processorTimes } from '../processors.ts'

const withinMs = 180_000
const goneWithinMs = 120_000

/**
 * Runners came for jobs that were cancelled before they asked; they wait for others. Then the time that they may be
 * idle is over for all of them: gives how long it takes until the last pod is gone.
 */
export async function cancelled(ground: Ground, count: number) {
  const { board, forge, ledger } = ground
  const pollers = createPollers(ground, { isHeld: false })
  try {
    await ground.pool({ maxRunners: count })
    const jobs = await forge.submit(count, poolLabels)
    await board.until(namespaces.ours, count, withinMs)
    await forEach(jobs, connectionsMax, (job) => forge.cancel(job))
    await ledger.untilJobs('queued', 0, withinMs)
    for (const pod of board.present(namespaces.ours)) pollers.play(pod)
    await ledger.untilRunners('polling', count, withinMs)
    const processors = await processorTimes(ground)
    const began = performance.now()
    await ground.pool({ maxRunners: count, idleTimeoutSeconds: 0 })
    const goneMs = (await board.until(namespaces.ours, 0, goneWithinMs)) - began
    const used = await processors()
    await ledger.untilQuiet(goneWithinMs)
    return { goneMs, processors: used }
  } finally {
    await pollers.close()
    await ground.pool({ maxRunners: 1 })
  }
}
