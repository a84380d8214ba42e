import type { Subject } from '../domain/recovery/index.ts'
import type { Instant } from '../domain/time.ts'
import { again, createLanes, done, type Loop, type Outcome } from '../loop/index.ts'
import { nameOf } from './act.ts'
import { look, lookHere, type RecoveryDeps } from './look.ts'

/** Bounds one pass (I10). */
const subjectsPerPassMax = 200
/** Looks at a time that need the ledger and the host alone. */
const hostLanesMax = 16
/** Looks at a time that ask the forge, each with at most two calls at once: GitHub allows a hundred in all. */
const forgeLanesMax = 32
/** Looks that may wait for the forge. */
const forgeLooksMax = 1_000
/** How soon a subject that is one too many for that comes again. */
const tooManyMs = 5_000
/** How often a subject that waits for the forge is looked at by what the host alone can say. */
const hereAgainMs = 2_000

/**
 * Looks at every subject whose deadline has passed, and at once at what an event made due. Looks go side by side; those
 * at one job or runner one after the other. What needs the forge is taken out of the pass: the next one begins while it
 * is under way, so that a forge which is slow or silent holds up nothing that the host alone decides.
 */
export function recoveryLoop(deps: RecoveryDeps, tickMs: number): Loop {
  const hostLanes = createLanes(hostLanesMax)
  const forgeLanes = createLanes(forgeLanesMax)
  /** Looks that wait for the forge or ask it, by subject. Their subjects stay due meanwhile. */
  const underWay = new Map<string, UnderWay>()
  const failures: unknown[] = []

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const waiting = underWay.size
    const due = await deps.ledger.due(subjectsPerPassMax + waiting, deps.host.id)
    const subjects = due.filter((subject) => isWanted(subject))
    await Promise.all(
      subjects.map((subject) => hostLanes.run(keysOf(subject), () => lookFirst(subject, signal))),
    )
    const [failure] = failures.splice(0)
    if (failure !== undefined) throw failure
    return due.length < subjectsPerPassMax + waiting ? done : again(0)
  }

  function isWanted(subject: Subject): boolean {
    const waiting = underWay.get(keyOf(subject))
    return waiting === undefined || deps.clock.now() >= waiting.lookedAt + hereAgainMs
  }

  async function lookFirst(subject: Subject, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await isolated(async () => {
      if ((await lookHere(subject, deps, signal)) === 'needs-forge') await askForge(subject, signal)
    })
  }

  async function askForge(subject: Subject, signal: AbortSignal): Promise<void> {
    const key = keyOf(subject)
    const lookedAt = deps.clock.now()
    const waiting = underWay.get(key)
    if (waiting !== undefined) underWay.set(key, { ...waiting, lookedAt })
    else if (underWay.size >= forgeLooksMax) await deps.ledger.postpone(nameOf(subject), tooManyMs)
    else {
      const work = forgeLanes.run(keysOf(subject), () => isolated(() => lookAnew(subject, signal)))
      underWay.set(key, { lookedAt, work: work.finally(() => underWay.delete(key)) })
    }
  }

  /** It may have waited for its lane: what was true of it then is read again. */
  async function lookAnew(subject: Subject, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const current = await deps.ledger.subject(nameOf(subject))
    if (current !== null) await look(current, deps, signal)
  }

  /** A look that fails fails the pass, or the next one, but no other look. */
  async function isolated(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }

  return {
    name: 'recovery',
    sweepMs: tickMs,
    wokenBy: (wake) => wake.kind === 'recovery',
    pass,
    async ended() {
      await Promise.all([...underWay.values()].map(({ work }) => work))
      failures.length = 0
    },
  }
}

interface UnderWay {
  readonly work: Promise<void>
  /** When it was last looked at by what the host alone can say. */
  readonly lookedAt: Instant
}

function keyOf(subject: Subject): string {
  const { kind, id } = nameOf(subject)
  return `${kind} ${id}`
}

/** The job and the runner that a look may change. */
function keysOf(subject: Subject): string[] {
  if (subject.kind === 'job') return [`job ${subject.job.id}`]
  const runner = `runner ${subject.runner.id}`
  const job = subject.kind === 'attempt' ? subject.job : subject.last?.job
  return job === undefined ? [runner] : [runner, `job ${job.id}`]
}
