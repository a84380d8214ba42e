import { type ControlDeps, controlLoops } from '../control/index.ts'
import { createTurns, type Loop, runLoop } from '../loop/index.ts'
import type { Leadership, Term } from '../ports/leadership.ts'
import type { Tasks } from '../ports/tasks.ts'
import { underTerms } from './fleet/index.ts'

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
 * Runs every loop in the background while this process leads. Each term has loops of its own: what they remember of an
 * earlier one is about a fleet that another has led since.
 */
export function runLoopsInTerms(
  control: ControlDeps,
  extra: readonly Loop[],
  tasks: Tasks,
  leadership: Leadership,
): void {
  const turns = createTurns()
  const byTerm = new WeakMap<Term, readonly Loop[]>()
  const loopOf = (term: Term, name: string): Loop => {
    const loops = byTerm.get(term) ?? controlLoops(control, turns)
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
  const deps = {
    ...control,
    onWake: control.ledger.onWake,
    onFailure: (name: string) => control.metrics.count('holdfast_task_failures_total', { task: name }),
  }
  return runLoop(loop, deps, signal)
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
