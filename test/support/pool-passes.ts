import type { Loop } from '../../src/loop/index.ts'
import { type ControlBench, never } from './control-bench.ts'

/** One pass, and all that it set going. */
export async function pass(loop: Loop) {
  const outcome = await loop.pass(never)
  await new Promise((resolve) => setImmediate(resolve))
  return outcome
}

export async function queueMany(bench: ControlBench, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await bench.queue()
}

export const rowsOf = (bench: ControlBench) => [...bench.ledger.rows.runners.values()]
export const startsOf = (bench: ControlBench) => callsOf(bench, 'start')
export const stopsOf = (bench: ControlBench) => callsOf(bench, 'stop')

function callsOf({ host }: ControlBench, verb: string): readonly string[] {
  return host.calls.filter((call) => call.startsWith(`${verb} `))
}
