import { again, done, type Loop, type Outcome } from '../loop/index.ts'
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
  const subjects = await deps.ledger.due(subjectsPerPassMax, deps.host.id)
  for (const subject of subjects) {
    if (signal.aborted) return done
    await look(subject, deps, signal)
  }
  return subjects.length < subjectsPerPassMax ? done : again(0)
}
