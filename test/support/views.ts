import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type {
  Decision,
  Fact,
  Facts,
  ForgeJobStatus,
  ForgeRunnerStatus,
  HostedRunning,
  HostedStatus,
  Subject,
} from '../../src/domain/recovery/index.ts'
import { unread } from '../../src/domain/recovery/index.ts'
import { aJob, aJobEvent, anAttempt, aRunner, now } from './rows.ts'

type AttemptSubject = Extract<Subject, { kind: 'attempt' }>
type RunnerSubject = Extract<Subject, { kind: 'runner' }>
type RunnerAttempt = NonNullable<RunnerSubject['last']>['attempt']

/** An open attempt past its deadline. */
export function attemptSubject(
  over: {
    readonly attempt?: Partial<AttemptSubject['attempt']>
    readonly job?: Partial<AttemptSubject['job']>
    readonly runner?: Partial<AttemptSubject['runner']>
  } = {},
): AttemptSubject {
  const attempt = anAttempt({ checkAt: now, ...over.attempt })
  const job = aJob({ state: 'claimed', ...over.job })
  return { kind: 'attempt', attempt, job, runner: aRunner({ state: 'claimed', ...over.runner }) }
}

/** A live runner without an open attempt. */
export function runnerSubject(
  runner: Partial<RunnerSubject['runner']> = {},
  over: Partial<Omit<RunnerSubject, 'kind' | 'runner'>> = {},
): RunnerSubject {
  const watchedSince = now - 3_600_000
  return { kind: 'runner', runner: aRunner(runner), hasOpenAttempt: false, last: null, watchedSince, ...over }
}

/** A runner at work for an hour on a job that the forge gave it. */
export function workingSubject(
  over: Partial<Omit<RunnerSubject, 'kind' | 'runner' | 'last'>> = {},
  attempt: Partial<RunnerAttempt> = {},
): RunnerSubject {
  const startedAt = now - 3_600_000
  const times = { claimedAt: startedAt, mintedAt: startedAt, deliveredAt: startedAt, startedAt }
  return runnerSubject(
    { state: 'busy', everClaimed: true },
    {
      hasOpenAttempt: true,
      last: {
        attempt: anAttempt({ state: 'running', ...times, ...attempt }),
        job: aJob({ state: 'running', executor: 'linux-1-00000001' }),
      },
      ...over,
    },
  )
}

export interface Read {
  /** A kind alone stands for the plainest runner of that kind: one process that polls and runs. */
  readonly hosted?: HostedStatus['kind'] | HostedStatus
  readonly forgeJob?: ForgeJobStatus
  readonly forgeRunner?: ForgeRunnerStatus
}

/** Facts that were read outside, `ageMs` ago; those that are not named were not read. */
export function facts(read: Read, ageMs = 0): Facts {
  const fact = <T>(value: T): Fact<T> => ({ known: true, value, readAt: now - ageMs, source: 'test' })
  return {
    hosted: read.hosted === undefined ? unread.hosted : fact(hostedOf(read.hosted)),
    forgeJob: read.forgeJob === undefined ? unread.forgeJob : fact(read.forgeJob),
    forgeRunner: read.forgeRunner === undefined ? unread.forgeRunner : fact(read.forgeRunner),
  }
}

function hostedOf(hosted: HostedStatus['kind'] | HostedStatus): HostedStatus {
  if (typeof hosted !== 'string') return hosted
  return hosted === 'running' ? hostedRunning() : { kind: hosted }
}

export function hostedRunning(over: Partial<HostedRunning> = {}): HostedRunning {
  const plain = { program: 'unknown', node: null, leavingSince: null, silentSince: null } as const
  return { kind: 'running', ...plain, ...over }
}

/** The forge's answer about a job. */
export function says(status: JobEvent['status'], over: Partial<JobEvent> = {}): ForgeJobStatus {
  return { kind: 'known', word: aJobEvent(aJob(), status, over) }
}

export const gone: ForgeJobStatus = { kind: 'gone' }
export const absent: ForgeRunnerStatus = { kind: 'absent' }
export const busy: ForgeRunnerStatus = { kind: 'present', id: 77, online: true, busy: true }
export const idle: ForgeRunnerStatus = { kind: 'present', id: 77, online: true, busy: false }
export const offline: ForgeRunnerStatus = { kind: 'present', id: 77, online: false, busy: false }

/** The decision to leave a subject alone. */
export function left(reason: string): Decision {
  return { kind: 'leave', reason }
}
