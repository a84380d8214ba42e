import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../../report.ts'
import { type Ground, namespaces, poolLabels } from '../ground.ts'
import { createPollers } from '../pollers.ts'

const everyMs = 100
const withinMs = 120_000

/** Jobs that come one after the other to a pool without runners: from the forge's word to the JIT in a poller's hands. */
export async function trickle(ground: Ground, count: number) {
  const { board, forge, ledger } = ground
  const pollers = createPollers(ground, { isHeld: false })
  const unplay = board.onPod((pod) => {
    if (pod.namespace === namespaces.ours) pollers.play(pod)
  })
  try {
    await ground.pool({ maxRunners: count })
    const submittedAt = new Map<number, number>()
    const began = performance.now()
    for (let n = 0; n < count; n += 1) {
      await pause(Math.max(0, began + n * everyMs - performance.now()))
      const at = performance.now()
      for (const id of await forge.submit(1, poolLabels)) submittedAt.set(id, at)
    }
    await pollers.untilJits(count, withinMs)
    await board.until(namespaces.ours, 0, withinMs)
    await ledger.untilQuiet(withinMs)
    const forgeIds = await ledger.forgeIds()
    const waits = pollers.jits
      .map(({ job, at }) => at - (submittedAt.get(forgeIds.get(job) as number) as number))
      .sort((a, b) => a - b)
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
  } finally {
    unplay()
    await pollers.close()
    await ground.pool({ maxRunners: 1 })
  }
}
