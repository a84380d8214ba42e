import { again, done, type Loop, type Outcome } from '../loop/index.ts'
import type { RunnerHost } from '../ports/runner-host.ts'
import { look, type RecoveryDeps } from './look.ts'

/** Bounds one pass (I10). */
const subjectsPerPassMax = 50

/** Looks at every subject whose deadline has passed, and at once at what an event made due. */
export function recoveryLoop(deps: RecoveryDeps, tickMs: number): Loop {
  return {
    name: 'recovery',
    sweepMs: tickMs,
    wokenBy: (wake) => wake.kind === 'recovery',
    pass: (signal) => sweep(deps, signal),
  }
}

async function sweep(deps: RecoveryDeps, signal: AbortSignal): Promise<Outcome> {
  const subjects = await deps.ledger.due(subjectsPerPassMax)
  const eyes = { ...deps, host: readOnce(deps.host) }
  for (const subject of subjects) {
    if (signal.aborted) return done
    await look(subject, eyes, signal)
  }
  return subjects.length < subjectsPerPassMax ? done : again(0)
}

/** One listing of the host serves a whole pass: it is read as a whole anyway. */
function readOnce(host: RunnerHost): RunnerHost {
  let listing: ReturnType<RunnerHost['list']> | undefined
  return {
    start: (runner, signal) => host.start(runner, signal),
    ending: (name) => host.ending(name),
    stop: (name, reason, graceMs) => host.stop(name, reason, graceMs),
    release: (name) => host.release(name),
    onEnd: (callback) => host.onEnd(callback),
    list: () => {
      listing ??= host.list()
      return listing
    },
  }
}
