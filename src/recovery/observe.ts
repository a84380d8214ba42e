import { HoldfastError } from '../domain/errors/index.ts'
import { isRetired } from '../domain/job-event/index.ts'
import type {
  Fact,
  FactName,
  Facts,
  ForgeJobStatus,
  ForgeRunnerStatus,
  HostedStatus,
  Subject,
} from '../domain/recovery/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Forge } from '../ports/forge.ts'
import type { LedgerClock } from '../ports/ledger.ts'
import type { RunnerHost } from '../ports/runner-host.ts'

export interface Eyes {
  /** The installation whose forge can be asked. */
  readonly installation: string
  readonly ledger: LedgerClock
  readonly forge: Forge
  readonly host: RunnerHost
}

/** Reads the facts that a decision asked for. A fact that cannot be read stays unknown, with the reason. */
export async function observe(
  subject: Subject,
  names: readonly FactName[],
  before: Facts,
  eyes: Eyes,
  signal: AbortSignal,
): Promise<Facts> {
  // A fact is as old as the time before its request: a change during the request is not in it.
  const readAt = await eyes.ledger.now()
  const ask = {
    hosted: async () => ({ hosted: await read('host', readAt, () => readHosted(subject, eyes, signal)) }),
    forgeJob: async () => ({
      forgeJob:
        ofElsewhere<ForgeJobStatus>(subject, { kind: 'gone' }, readAt, eyes) ??
        (await read('forge', readAt, () => readForgeJob(subject, eyes, signal))),
    }),
    forgeRunner: async () => ({
      forgeRunner:
        ofElsewhere<ForgeRunnerStatus>(subject, { kind: 'absent' }, readAt, eyes) ??
        (await read('forge', readAt, () => readForgeRunner(subject, eyes, signal))),
    }),
  } satisfies Record<FactName, () => Promise<Partial<Facts>>>
  const answers = await Promise.all(names.map((name) => ask[name]()))
  return Object.assign({ ...before }, ...answers)
}

/**
 * The answer for a job of another installation, whose forge cannot be asked: ours has jobs with the same numbers. Null: the
 * job is of ours. Where a person has closed the job (`jobs retire`), that counts as the forge's answer.
 */
function ofElsewhere<T>(
  subject: Subject,
  retired: T,
  readAt: Instant,
  { installation }: Eyes,
): Fact<T> | null {
  const job = subject.kind === 'runner' ? subject.last?.job : subject.job
  if (job === undefined || job.installation === installation) return null
  if (isRetired(job)) return { known: true, value: retired, readAt, source: 'operator' }
  return { known: false, why: `its job is of the installation ${job.installation}, which is not served` }
}

async function read<T>(source: string, readAt: Instant, ask: () => Promise<T | Unknown>): Promise<Fact<T>> {
  try {
    const value = await ask()
    return value instanceof Unknown
      ? { known: false, why: value.why }
      : { known: true, value, readAt, source }
  } catch (error) {
    if (!(error instanceof HoldfastError) || !error.entry.retryable) throw error
    return { known: false, why: error.message }
  }
}

/** An answer that cannot be had: it leads to no act. */
class Unknown {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}
const unknown = (why: string) => new Unknown(why)

/** An attempt that is not found proves nothing: it may be archived with its job. */
const noAttemptFound = 'no attempt of this runner is found, and the ledger does not say that it never had one'

/** Whether the ledger proves that the runner never had an attempt: then no forge ever knew it. */
function wasNeverGiven(subject: Subject): boolean {
  return subject.kind === 'runner' && subject.runner.everClaimed === false
}

/** Reads the runner from its host: absence is the host's own answer, never a gap in a cache. */
async function readHosted(
  subject: Subject,
  { host }: Eyes,
  signal: AbortSignal,
): Promise<HostedStatus | Unknown> {
  if (subject.kind === 'job') return unknown('a job is on no host')
  const { name, podUid } = subject.runner
  // Absence on our own host proves nothing about another one.
  if (subject.runner.host !== host.id)
    return unknown(`it is on the host ${subject.runner.host}, which is not ours`)
  const hosted = await host.find(name, signal, podUid)
  if (hosted === null) return { kind: 'absent' }
  if (hosted.state === 'exited') return { kind: 'exited' }
  const { program, node, leavingSince, silentSince } = hosted
  return { kind: 'running', program, node, leavingSince, silentSince }
}

async function readForgeJob(
  subject: Subject,
  { forge }: Eyes,
  signal: AbortSignal,
): Promise<ForgeJobStatus | Unknown> {
  const job = subject.kind === 'runner' ? subject.last?.job : subject.job
  if (job === undefined) return wasNeverGiven(subject) ? { kind: 'none' } : unknown(noAttemptFound)
  const event = await forge.readJob(job, job.forgeJobId, signal)
  return event === null ? { kind: 'gone' } : { kind: 'known', word: event }
}

async function readForgeRunner(
  subject: Subject,
  { forge }: Eyes,
  signal: AbortSignal,
): Promise<ForgeRunnerStatus | Unknown> {
  if (subject.kind === 'job') return unknown('who would run the job is not known')
  const known = subject.kind === 'attempt' ? subject : subject.last
  if (known === null) return wasNeverGiven(subject) ? { kind: 'absent' } : unknown(noAttemptFound)
  const found = await forge.findRunner(known.job, known.attempt.forgeRunnerName, signal)
  if (found === null) return { kind: 'absent' }
  return { kind: 'present', id: found.id, online: found.online, busy: found.busy }
}
