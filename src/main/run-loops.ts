import { type ControlDeps, controlLoops } from '../control/index.ts'
import { type Loop, runLoop } from '../loop/index.ts'
import type { Tasks } from '../ports/tasks.ts'

/** The loop that starts runners; it ends before the others when the fleet is drained. */
const scaleLoopName = 'pool-scale'

/** Runs every loop in the background; resolves to the end of the one that starts runners. */
export function runLoops(
  control: ControlDeps,
  extra: readonly Loop[],
  tasks: Tasks,
  draining: AbortSignal,
): Promise<void> {
  let scaling = Promise.resolve()
  for (const loop of [...controlLoops(control), ...extra]) {
    if (loop.name === scaleLoopName) scaling = run(loop, control, tasks, draining)
    else void run(loop, control, tasks)
  }
  return scaling
}

/** Runs a loop until the end of the program, or until the signal that ends it earlier. */
function run(loop: Loop, control: ControlDeps, tasks: Tasks, until?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const deps = {
    ...control,
    onWake: control.ledger.onWake,
    onFailure: (name: string) => control.metrics.count('holdfast_task_failures_total', { task: name }),
  }
  const work = async (signal: AbortSignal) => {
    await runLoop(loop, deps, until === undefined ? signal : AbortSignal.any([signal, until]))
    resolve()
  }
  tasks.run(loop.name, work, until === undefined ? 'loop' : 'once')
  return promise
}
