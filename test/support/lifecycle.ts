import { lifecycleLoop } from '../../src/controllers/runner/lifecycle/index.ts'
import { type ControlBench, never } from './control-bench.ts'

export const minuteMs = 60_000
export const resyncEveryMs = 60_000

/** A loop that has compared everything once, and listens. */
export async function settled(bench: ControlBench) {
  const loop = lifecycleLoop({ ...bench, resyncEveryMs })
  loop.subscribe?.(() => undefined)
  await loop.pass(never)
  return loop
}
