import { type ControlDeps, controlLoops } from '../../control/index.ts'
import { createKeyedMutex, type Loop, runLoop } from '../../loop/index.ts'
import type { Leadership, Term } from '../../ports/leadership.ts'
import type { Tasks } from '../../ports/tasks.ts'
import { underTerms } from '../fleet/index.ts'

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
    if (loop.name === scaleLoopName) scaling = runUntil(loop, control, tasks, draining)
    else tasks.run(loop.name, (signal) => run(loop, control, signal), 'loop')
  }
  return scaling
}

/**
 * Runs every loop in the background while this process leads. Each term gets new loops: the memory of an earlier term's
 * loops is about a fleet that another process has led since.
 */
export function runLoopsInTerms(
  control: ControlDeps,
  extra: readonly Loop[],
  tasks: Tasks,
  leadership: Leadership,
): void {
  const runnerMutex = createKeyedMutex()
  const byTerm = new WeakMap<Term, readonly Loop[]>()
  const loopOf = (term: Term, name: string): Loop => {
    const loops = byTerm.get(term) ?? controlLoops(control, runnerMutex)
    byTerm.set(term, loops)
    return loops.find((loop) => loop.name === name) as Loop
  }
  for (const { name } of controlLoops(control)) {
    const work = (signal: AbortSignal) =>
      underTerms(
        leadership,
        (term) => run(loopOf(term, name), control, AbortSignal.any([signal, term.signal])),
        signal,
      )
    tasks.run(name, work, 'loop')
  }
  for (const loop of extra) tasks.run(loop.name, (signal) => run(loop, control, signal), 'loop')
}

function run(loop: Loop, control: ControlDeps, signal: AbortSignal): Promise<void> {
  const { clock, entropy, log, ledger, metrics } = control
  const onFailure = (task: string) => metrics.count('holdfast_task_failures_total', { task })
  return runLoop(loop, { clock, entropy, log, onWake: ledger.onWake, onFailure }, signal)
}

/** Runs a loop until the end of the program, or until the signal that ends it earlier. */
function runUntil(loop: Loop, control: ControlDeps, tasks: Tasks, until: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = async (signal: AbortSignal) => {
    await run(loop, control, AbortSignal.any([signal, until]))
    resolve()
  }
  tasks.run(loop.name, work, 'once')
  return promise
}
