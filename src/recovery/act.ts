import { type KnownElsewhere, readElsewhere, sealDeath } from '../controllers/runner/seal/index.ts'
import { classifyDeath, type DeathRecord } from '../domain/death/index.ts'
import { HoldfastError, isError } from '../domain/errors/index.ts'
import type { JobEvent, JobFate } from '../domain/job-event/index.ts'
import { type Action, lostRecord, type RecoveryBounds, type Subject } from '../domain/recovery/index.ts'
import { countLost } from '../intake/index.ts'
import type { KeyedMutex } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type {
  AttemptLedger,
  Cause,
  DeathLedger,
  DecisionLedger,
  HostSampleLedger,
  IncidentLedger,
  JobEventLedger,
  JobLedger,
  JobReader,
  LedgerClock,
  RecoveryLedger,
  RunnerLedger,
} from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { HostedRunner, RunnerHost } from '../ports/runner-host.ts'

export interface Hands {
  /** The forge installation that is served: the forge of another one cannot be asked. */
  readonly installation: string
  readonly ledger: LedgerClock &
    JobEventLedger &
    JobLedger &
    JobReader &
    AttemptLedger &
    RunnerLedger &
    DeathLedger &
    HostSampleLedger &
    RecoveryLedger &
    DecisionLedger &
    IncidentLedger
  readonly forge: Forge
  readonly host: RunnerHost
  /** Shared with the starter: no end is sealed of a runner that is being started. */
  readonly runnerMutex: KeyedMutex
  readonly stopGraceMs: number
  readonly startDeadlineMs: number
  /** Bounds of irreversible acts in an hour. */
  readonly bounds: RecoveryBounds
  readonly clock: Pick<Clock, 'after' | 'now'>
  readonly log: Log
  readonly metrics: Metrics
}

/** The result of an action: its outcome for the record, and whether the next one may follow. */
interface Done {
  readonly outcome: string
  readonly goOn: boolean
}

/** Applies a decision's actions in order; the first refusal ends the list. */
export async function act(
  subject: Subject,
  rule: string,
  actions: readonly Action[],
  hands: Hands,
  signal: AbortSignal,
  onBegin: (action: Action) => void = () => undefined,
): Promise<{ readonly outcome: string; readonly done: readonly Action[] }> {
  const outcomes: string[] = []
  const done: Action[] = []
  for (const action of actions) {
    onBegin(action)
    const { outcome, goOn } = await applyAction(subject, action, { source: 'recovery', rule }, hands, signal)
    outcomes.push(`${action.kind}: ${outcome}`)
    if (!goOn) break
    done.push(action)
  }
  return { outcome: outcomes.join('; '), done }
}

async function applyAction(
  subject: Subject,
  action: Action,
  cause: Cause,
  hands: Hands,
  signal: AbortSignal,
): Promise<Done> {
  const { ledger, forge, host } = hands
  switch (action.kind) {
    case 'hear':
      return went(await applyEvent(action.word, cause, hands))
    case 'remove-registration': {
      const removed = await forge.removeRunner(action, action.forgeRunnerId, signal)
      return { outcome: removed, goOn: removed !== 'busy' }
    }
    case 'end-attempt': {
      const end = { kind: action.end, proof: action.evidence, fate: action.fate }
      const ended = await ledger.endAttempt(action.handle, end, cause)
      if (ended.kind === 'ok') await countFate(subject, action.fate, cause, hands)
      return { outcome: ended.kind, goOn: ended.kind === 'ok' }
    }
    case 'mark-registered':
      return went((await ledger.registered(action.handle, hands.startDeadlineMs, cause)).kind)
    case 'close-job': {
      const closed = await ledger.closeJob(action.jobId, action.conclusion, cause)
      return { outcome: closed, goOn: closed === 'closed' }
    }
    case 'requeue-job': {
      const requeued = await ledger.requeueJob(action.jobId, cause)
      if (requeued === 'requeued') countRequeued(cause, hands)
      return { outcome: requeued, goOn: requeued === 'requeued' }
    }
    case 'fence': {
      const fenced = await ledger.fence(action.runnerId, action.reason, cause)
      return { outcome: fenced, goOn: fenced === 'fenced' }
    }
    case 'stop-runner': {
      const { reason, evenIfStarted } = action
      const order = { reason, graceMs: hands.stopGraceMs, evenIfStarted }
      const stopped = await host.stop(action.runnerName, order)
      return { outcome: stopped, goOn: stopped === 'asked' }
    }
    case 'note-past-deadline': {
      const { handle, limitMs, ranMs } = action
      const { kind } = await ledger.notePastDeadline(handle, { limitMs, ranMs, cancel: null }, cause)
      return { outcome: kind, goOn: kind === 'ok' }
    }
    case 'cancel-run':
      return went(await cancelRun(action, cause, hands, signal))
    case 'seal-vanished':
      return seal(
        subject,
        { recordOf: vanishedRecord, reason: 'vanished', isStill: isAbsent },
        cause,
        hands,
        signal,
      )
    case 'seal-lost': {
      const { loss } = action
      return seal(
        subject,
        {
          recordOf: ({ job }) => ({ ...lostRecord(loss), job }),
          reason: loss.class,
          isStill: loss.class === 'host-lost' ? isOfLostHost(subject, hands) : isLost,
        },
        cause,
        hands,
        signal,
      )
    }
    case 'abandon':
      return hands.runnerMutex.run(action.runnerName, () => abandon(action.runnerName, host))
    case 'look-again':
      await ledger.postpone(nameOf(subject), action.inMs)
      return went(`in ${action.inMs} ms`)
  }
}

async function applyEvent(event: JobEvent, cause: Cause, hands: Hands): Promise<string> {
  const result = await hands.ledger.applyJobEvent(event, cause)
  await countLost(event, result, hands)
  return result.kind
}

/** Cancels the run; the forge's answer is recorded, because the next decision depends on it. */
async function cancelRun(
  { handle, limitMs, ranMs, runId, ...scope }: Extract<Action, { kind: 'cancel-run' }>,
  cause: Cause,
  { forge, ledger }: Hands,
  signal: AbortSignal,
): Promise<string> {
  const answer = await forge.cancelRun(scope, runId, signal)
  await ledger.notePastDeadline(handle, { limitMs, ranMs, cancel: answer.kind }, cause)
  return answer.kind === 'done' ? 'done' : `${answer.kind} (${answer.reason})`
}

/** Measures how fast a job is requeued after its runner's death, where it happens: operators are promised this time. */
async function countFate(subject: Subject, fate: JobFate, cause: Cause, hands: Hands): Promise<void> {
  if (subject.kind !== 'attempt') return
  const { job, runner } = subject
  if (fate.kind === 'lost') hands.metrics.count('holdfast_jobs_lost_total', { pool: job.pool ?? 'none' })
  if (fate.kind !== 'requeue') return
  countRequeued(cause, hands)
  if (runner.endedAt === null) return
  const afterMs = Math.max(0, (await hands.ledger.now()) - runner.endedAt)
  hands.metrics.observe('holdfast_requeue_seconds', {}, afterMs / 1000)
}

function countRequeued({ rule }: Cause, { metrics }: Hands): void {
  metrics.count('holdfast_jobs_requeued_total', { rule: rule ?? 'other' })
}

interface Seal {
  /** The record to seal, with the ledger's facts about the runner's job. */
  readonly recordOf: (known: KnownElsewhere) => DeathRecord
  readonly reason: string
  /** Whether the host still reports the state by which it was decided. */
  readonly isStill: (hosted: HostedRunner | null) => boolean | Promise<boolean>
}

/** Seals an end that nobody saw, if the host confirms it while no start of the runner can be under way. */
async function seal(
  subject: Subject,
  { recordOf, reason, isStill }: Seal,
  cause: Cause,
  hands: Hands,
  signal: AbortSignal,
): Promise<Done> {
  if (subject.kind !== 'runner')
    throw new HoldfastError('E_BUG', { what: `a ${subject.kind} has no end to seal` })
  const { runner } = subject
  return hands.runnerMutex.run(runner.name, async () => {
    const record = recordOf(await readElsewhere(runner.id, null, hands))
    if (!(await isStill(await hands.host.find(runner.name, signal, runner.podUid))))
      return { outcome: 'seen again', goOn: false }
    return went(await sealDeath({ runner, record, reason }, cause, hands))
  })
}

function vanishedRecord({ job, missing }: KnownElsewhere): DeathRecord {
  const record = classifyDeath(null, { job, ring: null })
  return { ...record, unknown: [...record.unknown, ...missing] }
}

function isAbsent(hosted: HostedRunner | null): boolean {
  return hosted === null
}

/** A runner that ended meanwhile is sealed by the lifecycle, with everything that is known of it. */
function isLost(hosted: HostedRunner | null): boolean {
  if (hosted === null) return true
  return hosted.state === 'running' && (hosted.silentSince !== null || hosted.leavingSince !== null)
}

/** A host whose heartbeat returned meanwhile reports its runners itself. */
function isOfLostHost(subject: Subject, { ledger }: Hands) {
  return async (hosted: HostedRunner | null): Promise<boolean> => {
    const now = await ledger.subject(nameOf(subject))
    return hosted === null && now?.kind === 'runner' && now.hostLostSince !== undefined
  }
}

/** Gives up a runner whose record is sealed, so that it no longer counts. If its node returns, its end will be seen. */
async function abandon(name: string, host: RunnerHost): Promise<Done> {
  try {
    await host.abandon(name)
    return went('abandoned')
  } catch (error) {
    if (!isError(error, 'E_RUNNER_NOT_ENDED')) throw error
    return { outcome: 'refused', goOn: false }
  }
}

export function nameOf(subject: Subject): { kind: Subject['kind']; id: number } {
  if (subject.kind === 'attempt') return { kind: 'attempt', id: subject.attempt.id }
  if (subject.kind === 'runner') return { kind: 'runner', id: subject.runner.id }
  return { kind: 'job', id: subject.job.id }
}

function went(outcome: string): Done {
  return { outcome, goOn: true }
}
