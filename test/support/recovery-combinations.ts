import { type AttemptState, attemptStates, isOpenAttempt } from '../../src/domain/attempt/index.ts'
import { openJobStates } from '../../src/domain/job/index.ts'
import type {
  Fact,
  Facts,
  ForgeJobStatus,
  ForgeRunnerStatus,
  HostedStatus,
  Subject,
  View,
} from '../../src/domain/recovery/index.ts'
import { isLive, liveRunnerStates, type RunnerState, runnerStates } from '../../src/domain/runner/index.ts'
import { aJob, anAttempt, aRunner, now } from './rows.ts'
import { absent, busy, gone, hostedRunning, idle, offline, says } from './views.ts'

/** One combination of the axes of the decision table, with a label for each. */
export interface Combination {
  readonly view: View
  readonly situation: string
  readonly hosted: string
  readonly forgeJob: string
  readonly forgeRunner: string
}

type Labelled<T> = readonly (readonly [label: string, value: T])[]

const recently = now - 1_000
const longAgo = now - 3_600_000
const forgeName = 'linux-1-00000001'
const openAttemptStates = attemptStates.filter((state) => isOpenAttempt({ state }))
const order = (state: AttemptState) => attemptStates.indexOf(state)

/** Every combination of ledger, host and forge that the ledger's constraints allow; `now` is that of the tests' rows. */
export function* combinations(kinds = Object.keys(subjectsOf)): Generator<Combination> {
  const subjects = kinds.flatMap((kind) => [...subjectsOf[kind as Subject['kind']]()])
  for (const [situation, subject] of subjects) {
    const ofHost = subject.kind === 'runner' ? hosts : unasked<HostedStatus>()
    const ofRunner = subject.kind === 'job' ? unasked<ForgeRunnerStatus>() : forgeRunners
    for (const [hosted, host] of ofHost) {
      for (const [forgeJob, job] of forgeJobs) {
        for (const [forgeRunner, runner] of ofRunner) {
          const facts: Facts = { hosted: host, forgeJob: job, forgeRunner: runner }
          yield { view: { subject, facts }, situation, hosted, forgeJob, forgeRunner }
        }
      }
    }
  }
}

const unknown: Fact<never> = { known: false, why: 'it could not be read' }
const fresh = <T>(value: T): Fact<T> => ({ known: true, value, readAt: now, source: 'enumeration' })
const stale = <T>(value: T): Fact<T> => ({ known: true, value, readAt: longAgo, source: 'enumeration' })
const unasked = <T>(): Labelled<Fact<T>> => [['not asked', unknown]]

const forgeJobs: Labelled<Fact<ForgeJobStatus>> = [
  ['unknown', unknown],
  ['stale', stale(says('queued'))],
  ['no job', fresh({ kind: 'none' })],
  ['gone', fresh(gone)],
  ['queued', fresh(says('queued'))],
  ['runs on this runner', fresh(says('in_progress', { runnerName: forgeName }))],
  ['runs elsewhere', fresh(says('in_progress', { runnerName: 'elsewhere' }))],
  ['runs, nobody named', fresh(says('in_progress'))],
  ['completed', fresh(says('completed', { runnerName: forgeName }))],
]

const forgeRunners: Labelled<Fact<ForgeRunnerStatus>> = [
  ['unknown', unknown],
  ['stale', stale(offline)],
  ['absent', fresh(absent)],
  ['offline', fresh(offline)],
  ['idle', fresh(idle)],
  ['busy', fresh(busy)],
]

const hosts: Labelled<Fact<HostedStatus>> = [
  ['unknown', unknown],
  ['stale', stale({ kind: 'absent' })],
  ['absent', fresh({ kind: 'absent' })],
  ['exited', fresh({ kind: 'exited' })],
  ...(['waiting', 'started', 'unknown'] as const).flatMap((program) =>
    ([null, recently, longAgo] as const).flatMap((leavingSince) =>
      ([null, recently, longAgo] as const).map((silentSince) => {
        const state = hostedRunning({ program, leavingSince, silentSince, node: 'node-1' })
        const label = `program ${program}${since('leaving', leavingSince)}${since('silent', silentSince)}`
        return [label, fresh<HostedStatus>(state)] as const
      }),
    ),
  ),
]

function since(word: string, at: number | null): string {
  return at === null ? '' : `, ${word} ${at === recently ? 'shortly' : 'long'}`
}

/** The situations of the ledger. */
const subjectsOf: Readonly<
  Record<Subject['kind'], () => Iterable<readonly [situation: string, subject: Subject]>>
> = { job: ofJobs, attempt: ofAttempts, runner: ofRunners }

function* ofJobs(): Generator<readonly [string, Subject]> {
  for (const state of openJobStates) {
    for (const due of [false, true]) {
      for (const seenAt of [recently, longAgo]) {
        const executor = state === 'running' ? 'elsewhere' : null
        const checkAt = due ? now : now + 1
        const job = aJob({ state, executor, checkAt, seenAt, forgeStartedAt: seenAt })
        yield [`job ${state}${dueText(due)}${ageText(seenAt)}`, { kind: 'job', job }]
      }
    }
  }
}

function* ofAttempts(): Generator<readonly [string, Subject]> {
  for (const state of openAttemptStates) {
    for (const runnerState of runnerStates) {
      for (const due of [false, true]) {
        for (const seenAt of [recently, longAgo]) {
          for (const isForeign of [false, true]) {
            for (const evidenceId of isLive({ state: runnerState }) ? [null] : [null, 9]) {
              const attempt = attemptIn(state, { checkAt: due ? now : now + 1 })
              const job = jobOf(state, seenAt)
              const runner = runnerIn(runnerState, { evidenceId })
              const life = isLive(runner)
                ? runnerState
                : `${runnerState}${evidenceId === null ? ' unsealed' : ''}`
              const situation = `attempt ${state}${dueText(due)}, runner ${life}${ageText(seenAt)}${isForeign ? ', foreign' : ''}`
              yield [situation, { kind: 'attempt', attempt, job, runner, isForeign }]
            }
          }
        }
      }
    }
  }
}

function* ofRunners(): Generator<readonly [string, Subject]> {
  for (const state of liveRunnerStates) {
    for (const [had, over] of historiesOf(state)) {
      for (const asked of [recently, longAgo]) {
        for (const watchedSince of [undefined, longAgo]) {
          const times = {
            polledAt: state === 'booting' || over.isUnasked ? null : asked,
            fencedAt: state === 'fenced' ? asked : null,
            checkAt: asked === recently ? now + 1 : now,
          }
          const everClaimed = over.everClaimed ?? null
          const runner = runnerIn(state, { ...times, everClaimed })
          const subject = {
            kind: 'runner' as const,
            runner,
            hasOpenAttempt: over.hasOpenAttempt,
            last: over.last,
            ...(watchedSince !== undefined && { watchedSince }),
            ...(over.maxJobMs !== undefined && { maxJobMs: over.maxJobMs }),
          }
          const seen = watchedSince === undefined ? ', not watched' : ''
          const situation = `runner ${state} ${asked === recently ? 'since shortly' : 'since long'}, ${had}${seen}`
          yield [situation, subject]
          if (watchedSince !== undefined)
            yield [`${situation}, host lost`, { ...subject, hostLostSince: longAgo }]
        }
      }
    }
  }
}

interface History extends Pick<Extract<Subject, { kind: 'runner' }>, 'hasOpenAttempt' | 'last'> {
  readonly everClaimed?: boolean | null
  /** It never asked for work. */
  readonly isUnasked?: boolean
  readonly maxJobMs?: number
}

/** The possible histories of a runner in this state. One that boots or polls never had an attempt: it has one configuration. */
function historiesOf(state: RunnerState): Labelled<History> {
  const never = { hasOpenAttempt: false, last: null }
  if (state === 'booting' || state === 'polling')
    return [['never had an attempt', { ...never, everClaimed: false }]]
  const fencedIdle: Labelled<History> = [
    ['never had an attempt', { ...never, everClaimed: false }],
    ['never asked for work', { ...never, everClaimed: false, isUnasked: true }],
  ]
  const lastIn = (attemptState: AttemptState, over: { endedAt?: number } = {}) => ({
    attempt: attemptIn(attemptState, over),
    job: jobOf(attemptState, longAgo),
  })
  const running = { hasOpenAttempt: true, everClaimed: true, last: lastIn('running') }
  return [
    ...(state === 'fenced' ? fencedIdle : []),
    ['its attempt is not found', { ...never, everClaimed: true }],
    ['whether it had an attempt is not known', { ...never, everClaimed: null }],
    ...openAttemptStates.map(
      (open) => [`attempt ${open}`, { hasOpenAttempt: true, everClaimed: true, last: lastIn(open) }] as const,
    ),
    ['attempt running, limit past', { ...running, maxJobMs: 1_800_000 }],
    ['attempt running, limit not past', { ...running, maxJobMs: 7_200_000 }],
    ...[recently, longAgo].map((endedAt) => {
      const over = { hasOpenAttempt: false, everClaimed: true, last: lastIn('ended', { endedAt }) }
      return [`attempt ended ${endedAt === recently ? 'shortly' : 'long'} ago`, over] as const
    }),
  ]
}

function attemptIn(state: AttemptState, over: Parameters<typeof anAttempt>[0]) {
  const reached = (step: AttemptState) => (order(state) >= order(step) ? longAgo : null)
  return anAttempt({
    state,
    claimedAt: longAgo,
    mintedAt: reached('minted'),
    deliveredAt: reached('delivered'),
    acknowledgedAt: reached('acknowledged'),
    registeredAt: reached('registered'),
    startedAt: reached('running'),
    ...over,
  })
}

function jobOf(state: AttemptState, seenAt: number) {
  const isRunning = state === 'running' || state === 'ended'
  const jobState = isRunning ? 'running' : state === 'claimed' || state === 'minted' ? 'claimed' : 'delivered'
  return aJob({ state: jobState, executor: isRunning ? forgeName : null, seenAt, forgeStartedAt: longAgo })
}

function runnerIn(state: RunnerState, over: Parameters<typeof aRunner>[0]) {
  const endedAt = isLive({ state }) ? null : longAgo
  return aRunner({ state, createdAt: longAgo, endedAt, everClaimed: true, ...over })
}

const dueText = (due: boolean) => (due ? ' past its deadline' : ' before its deadline')
const ageText = (seenAt: number) => (seenAt === recently ? ', job new' : '')
