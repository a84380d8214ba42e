import type { Subject } from '../domain/recovery/index.ts'
import type { Instant } from '../domain/time.ts'
import { createKeyedExecutor, done, type Loop, type Outcome, requeueAfter } from '../loop/index.ts'
import type { Due } from '../ports/ledger.ts'
import { nameOf } from './act.ts'
import { createFailedLooks, type FailedLooksDeps, type SubjectName } from './failed-looks.ts'
import { createHeldActs } from './held-acts.ts'
import { look, lookHere, type RecoveryDeps } from './look.ts'

export type RecoveryLoopDeps = RecoveryDeps & FailedLooksDeps

/** Bounds one pass (I10). */
const subjectsPerPassMax = 200
/** Concurrent looks that need only the ledger and the host. */
const hostWorkersMax = 16
/** Concurrent looks that ask the forge, each with at most two calls at once: GitHub allows a hundred in all. */
const forgeWorkersMax = 32
/** Looks that may wait for the forge. */
const forgeLooksMax = 1_000
/** How soon a subject beyond that number is tried again. */
const tooManyMs = 5_000
/** How often a subject that waits for the forge is looked at with the host alone. */
const hereAgainMs = 2_000

/**
 * Looks at every subject whose deadline has passed, and at once at subjects that an event made due. Looks run in parallel;
 * those at one job or runner one after the other. Looks that need the forge leave the pass: the next one begins while they
 * are under way, so that a slow or unresponsive forge holds up nothing that the host alone decides. A look that fails
 * postpones only its subject; the pass fails only where the ledger cannot store that either.
 */
export function recoveryLoop(deps: RecoveryLoopDeps, tickMs: number): Loop {
  const hostLooks = createKeyedExecutor(hostWorkersMax)
  const forgeLooks = createKeyedExecutor(forgeWorkersMax)
  /** Looks that wait for the forge or ask it, by subject. Their subjects stay due meanwhile. */
  const underWay = new Map<string, UnderWay>()
  const failed = createFailedLooks(deps)
  const held = createHeldActs(deps)
  /** Errors of looks that failed and could not be postponed. */
  const failures: unknown[] = []

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const waiting = underWay.size
    const due = await deps.ledger.due(subjectsPerPassMax + waiting, deps.host.id)
    const subjects = due.filter((subject) => isWanted(subject))
    await Promise.all(
      subjects.map((subject) => hostLooks.run(keysOf(subject), () => lookFirst(subject, signal))),
    )
    const [failure] = failures.splice(0)
    if (failure !== undefined) throw failure
    await failed.passed()
    await held.passed()
    return due.length < subjectsPerPassMax + waiting ? done : requeueAfter(0)
  }

  function isWanted(subject: Due): boolean {
    const waiting = underWay.get(keyOf(subject))
    return waiting === undefined || deps.clock.now() >= waiting.lookedAt + hereAgainMs
  }

  async function lookFirst(subject: Due, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    if (subject.kind === 'unreadable')
      return isolated(subject.of, () => Promise.reject(subject.error), signal)
    await isolated(nameOf(subject), () => lookAsFarAsHere(subject, signal), signal)
  }

  async function lookAsFarAsHere(subject: Subject, signal: AbortSignal): Promise<'looked' | 'under-way'> {
    if ((await lookHere(subject, deps, signal)) !== 'needs-forge') return 'looked'
    await askForge(subject, signal)
    return 'under-way'
  }

  async function askForge(subject: Subject, signal: AbortSignal): Promise<void> {
    const key = keyOf(subject)
    const lookedAt = deps.clock.now()
    const waiting = underWay.get(key)
    if (waiting !== undefined) underWay.set(key, { ...waiting, lookedAt })
    else if (underWay.size >= forgeLooksMax) await deps.ledger.postpone(nameOf(subject), tooManyMs)
    else {
      const lookThere = () => isolated(nameOf(subject), () => lookAgain(subject, signal), signal)
      const work = forgeLooks.run(keysOf(subject), lookThere)
      underWay.set(key, { lookedAt, work: work.finally(() => underWay.delete(key)) })
    }
  }

  /** Reads the subject again, because it may have waited for a worker. */
  async function lookAgain(subject: Subject, signal: AbortSignal): Promise<'looked'> {
    if (signal.aborted) return 'looked'
    const current = await deps.ledger.subject(nameOf(subject))
    if (current !== null) await look(current, deps, signal)
    return 'looked'
  }

  async function isolated(
    of: SubjectName,
    work: () => Promise<'looked' | 'under-way'>,
    signal: AbortSignal,
  ): Promise<void> {
    const error = await failed.guard(of, work, signal)
    if (error !== undefined) failures.push(error)
  }

  return {
    name: 'recovery',
    resyncMs: tickMs,
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
  /** When it was last looked at with the host alone. */
  readonly lookedAt: Instant
}

function keyOf(subject: Due): string {
  const { kind, id } = subject.kind === 'unreadable' ? subject.of : nameOf(subject)
  return `${kind} ${id}`
}

/** The job and the runner that a look may change. */
function keysOf(subject: Due): string[] {
  if (subject.kind === 'unreadable') return [keyOf(subject)]
  if (subject.kind === 'job') return [`job ${subject.job.id}`]
  const runner = `runner ${subject.runner.id}`
  const job = subject.kind === 'attempt' ? subject.job : subject.last?.job
  return job === undefined ? [runner] : [runner, `job ${job.id}`]
}
