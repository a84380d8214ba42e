import { setTimeout } from 'node:timers/promises'
import type { World } from './world.ts'

const settledWithinMs = 90_000
const lookEveryMs = 300

export interface Expected {
  /** Runners that a pool keeps ready, in all. */
  readonly warm?: number
  /** Pods that may exist besides them, such as those that a person made. */
  readonly others?: readonly string[]
}

/**
 * Waits until all is over, and compares the three: what really happened at the forge, the ledger, the API server. No
 * job lost or run twice, every runner that ended has its record, no pod stuck, no capacity leaked.
 */
export async function settled(
  world: Pick<World, 'forge' | 'rows' | 'pods'>,
  expected: Expected = {},
  withinMs = settledWithinMs,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const { violations, waiting } = await compare(world, expected).catch(awayNow)
    if (violations.length > 0) throw new Error(`must never be:\n${violations.join('\n')}`)
    if (waiting.length === 0) return
    if (performance.now() >= deadline) {
      throw new Error(`not settled within ${withinMs / 1000} s:\n${waiting.join('\n')}`)
    }
    await setTimeout(lookEveryMs)
  }
}

/** The API server may be away for a while, by the test's own doing. */
function awayNow(error: unknown): { readonly violations: string[]; readonly waiting: string[] } {
  if (error instanceof TypeError) return { violations: [], waiting: [`${error.message}: ${error.cause}`] }
  throw error
}

async function compare(
  { forge, rows, pods }: Pick<World, 'forge' | 'rows' | 'pods'>,
  { warm = 0, others = [] }: Expected,
) {
  const truth = await forge.truth()
  const violations = truth.overlaps.map((overlap) => JSON.stringify(overlap))
  const waiting: string[] = []
  const jobs = new Map((await rows.jobs()).map((job) => [job.forgeJobId, job]))
  for (const { id, status, conclusion, starts, ends } of truth.jobs) {
    const here = jobs.get(id)
    const shown = here === undefined ? 'unknown' : `${here.state}/${here.conclusion}`
    if (status !== 'completed' || !here?.ended) {
      waiting.push(`job ${id} is ${status} at the forge and ${shown} here`)
      continue
    }
    const lost = ends.filter(({ cause }) => cause === 'lost-communication').length
    if (starts.length > 1 + lost) violations.push(`job ${id} was started ${starts.length} times`)
    // A runner that is stopped reports its job as cancelled: that is a loss, and the forge's conclusion stays in the row.
    const isLoss = conclusion === 'failure' || (conclusion === 'cancelled' && here.conclusion === conclusion)
    const agrees = here.state === 'lost' ? isLoss : here.conclusion === conclusion
    if (!agrees) violations.push(`job ${id} ended as ${conclusion}, and is ${shown} here`)
  }
  const runners = await rows.runners()
  for (const runner of runners) {
    if (runner.ended && runner.record === null) violations.push(`${runner.name} ended without a record`)
  }
  const live = runners.filter(({ ended }) => !ended)
  const present = (await pods())
    .map((pod) => pod.metadata.name as string)
    .filter((name) => !others.includes(name))
  if (live.length !== warm)
    waiting.push(
      `${live.length} runners live here, ${warm} expected: ${live.map((r) => `${r.name} ${r.state}`)}`,
    )
  for (const name of present) {
    if (!live.some((runner) => runner.name === name)) waiting.push(`pod ${name} is there, and not counted on`)
  }
  for (const { name } of live) if (!present.includes(name)) waiting.push(`runner ${name} has no pod`)
  for (const { runner, state } of await rows.openAttempts())
    waiting.push(`an attempt of ${runner} is ${state}`)
  for (const { name, state } of truth.runners) {
    if (state !== 'gone') waiting.push(`${name} is registered at the forge, ${state}`)
  }
  return { violations, waiting }
}
