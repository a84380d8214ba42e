import { goodbyeMs, isLive } from '../runner/index.ts'
import type { Instant } from '../time.ts'
import { silentAt } from './rules/silent-runner.ts'
import type { Facts, Subject, View } from './view.ts'

type AttemptSubject = Extract<Subject, { kind: 'attempt' }>
type RunnerSubject = Extract<Subject, { kind: 'runner' }>

/** A reason to leave a subject alone where no rule holds. */
interface LeaveRow<Kind extends Subject['kind']> {
  readonly name: string
  readonly why: string
  readonly on: Kind
  readonly holds: (subject: Extract<Subject, { kind: Kind }>, facts: Facts, now: Instant) => boolean
}
type AnyLeaveRow = LeaveRow<'attempt'> | LeaveRow<'job'> | LeaveRow<'runner'>

/** A combination that no rule and no reason foresaw. It is left alone, and it is an alarm. */
export const unforeseen = 'unforeseen'

/** Why the first reason that holds leaves the subject of this view alone; it is asked after all rules. */
export function leaveReasonOf({ subject, facts }: View, now: Instant): string {
  const row = (leaveReasons as readonly LeaveRow<Subject['kind']>[]).find(
    ({ on, holds }) => on === subject.kind && holds(subject, facts, now),
  )
  return row?.name ?? unforeseen
}

const isUndelivered = ({ attempt }: AttemptSubject) =>
  attempt.state === 'claimed' || attempt.state === 'minted'
const isBeforeDeadline = ({ attempt, runner }: AttemptSubject, now: Instant) =>
  isLive(runner) && now < attempt.checkAt
const isHosted = ({ hosted }: Facts, kind: 'running' | 'exited') => hosted.known && hosted.value.kind === kind
const isLeaving = ({ hosted }: Facts) =>
  hosted.known && hosted.value.kind === 'running' && hosted.value.leavingSince !== null
const isProgramWaiting = ({ hosted }: Facts) =>
  hosted.known && hosted.value.kind === 'running' && hosted.value.program === 'waiting'
const isIdle = ({ runner, hasOpenAttempt }: RunnerSubject) =>
  !hasOpenAttempt && (runner.state === 'booting' || runner.state === 'polling')

/** All reasons, in the order in which they are asked. */
export const leaveReasons: readonly AnyLeaveRow[] = [
  {
    name: 'claim-not-due',
    why: 'A job was claimed, its runner lives, and the deadline of the mint is not past.',
    on: 'attempt',
    holds: (subject, _, now) => isUndelivered(subject) && isBeforeDeadline(subject, now),
  },
  {
    name: 'foreign-delivered',
    why: 'A JIT of another installation was delivered: its forge cannot be asked, and only evidence ends the attempt (I3).',
    on: 'attempt',
    holds: (subject) => subject.isForeign === true && !isUndelivered(subject),
  },
  {
    name: 'end-not-sealed',
    why: 'The runner ended and its death is not on record yet: the lifecycle seals it first (I5).',
    on: 'attempt',
    holds: (subject) =>
      !isUndelivered(subject) && !isLive(subject.runner) && subject.runner.evidenceId === null,
  },
  {
    name: 'registration-not-due',
    why: 'A JIT was delivered, its runner lives, and the deadline for reaching the forge is not past.',
    on: 'attempt',
    holds: (subject, _, now) =>
      ['delivered', 'acknowledged', 'registered'].includes(subject.attempt.state) &&
      isBeforeDeadline(subject, now),
  },
  {
    name: 'run-not-due',
    why: 'A job runs on a live runner, and the forge was asked about it a short time ago.',
    on: 'attempt',
    holds: (subject, _, now) => subject.attempt.state === 'running' && isBeforeDeadline(subject, now),
  },
  {
    name: 'queue-not-due',
    why: 'A job is open without an attempt of ours, and the forge was asked about it a short time ago.',
    on: 'job',
    holds: ({ job }, _, now) => now < job.checkAt,
  },
  {
    name: 'start-not-due',
    why: 'A runner boots, and its start is not overdue.',
    on: 'runner',
    holds: ({ runner }, _, now) => runner.state === 'booting' && now < runner.checkAt,
  },
  {
    name: 'end-to-be-sealed',
    why: 'The host says that the runner exited: the lifecycle seals its end, and nothing else may.',
    on: 'runner',
    holds: (_, facts) => isHosted(facts, 'exited'),
  },
  {
    name: 'attempt-decides',
    why: 'The runner lives and has an open attempt, which is a subject of its own.',
    on: 'runner',
    holds: ({ hasOpenAttempt }, facts) => hasOpenAttempt && isHosted(facts, 'running'),
  },
  {
    name: 'start-of-its-pool',
    why: 'Its program waits for a node or an image: how long it may, its pool says, and `runner/liveness` holds it to that.',
    on: 'runner',
    holds: (subject, facts) =>
      subject.runner.state === 'booting' && isIdle(subject) && isProgramWaiting(facts),
  },
  {
    name: 'asks-for-work',
    why: 'An idle runner lives, and asked for work a short time ago, or nobody was there to be asked.',
    on: 'runner',
    holds: (subject, facts, now) => isIdle(subject) && isHosted(facts, 'running') && now < silentAt(subject),
  },
  {
    name: 'goodbye',
    why: 'Its job is over or it was fenced: it has a short time to end by itself.',
    on: 'runner',
    holds: ({ runner, last }, facts, now) =>
      isHosted(facts, 'running') &&
      now < Math.max(runner.fencedAt ?? 0, last?.attempt.endedAt ?? 0) + goodbyeMs,
  },
  {
    name: 'leaving',
    why: 'It was asked to go, and is not stuck yet.',
    on: 'runner',
    holds: (subject, facts) => !isIdle(subject) && isLeaving(facts),
  },
]
