import type { Silence } from '../../death/index.ts'
import type { Instant } from '../../time.ts'
import type { Action } from '../action.ts'
import type { Loss } from '../loss.ts'
import { type Asked, rule } from '../rule.ts'
import type { Subject } from '../view.ts'
import { calmMs, decisiveAgeMs, lookAgain, mayHaveHadOne, mayWork, removeRegistration } from './shared.ts'

type RunnerSubject = Extract<Subject, { kind: 'runner' }>

/** A node may come back within this; its containers go on meanwhile, and so may the job. */
const lostAfterMs = 5 * 60_000
/** Longer than any grace that a runner is given to report its end. */
const stuckAfterMs = 15 * 60_000
/** A pod that never started has nothing to report: a node that takes this long to drop it makes no progress. */
const stuckUnbegunAfterMs = 5 * 60_000

/** A silent node is no death by itself: the forge must say that its runner is not at work. */
export const nodeLost = rule({
  name: 'node-lost',
  why: 'The node of a runner is silent, and the runner is offline at the forge: both are lost.',
  on: 'runner',
  hosted: {
    atMostMsOld: decisiveAgeMs,
    holds: (hosted, now) =>
      hosted.kind === 'running' && hosted.silentSince !== null && now >= hosted.silentSince + lostAfterMs,
  },
  needs: { hosted: decisiveAgeMs, forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: {},
  concerns: isPastIdle,
  act: (subject, asked) => {
    const { node = null, silentSince = null } = asked.hosted?.kind === 'running' ? asked.hosted : {}
    return giveUp(subject, asked, {
      class: 'node-lost',
      ...(silentSince !== null && { silence: silenceOf(silentSince, asked) }),
      because: [`Its node ${node ?? ''} is silent.`, ...forgeSays(asked)],
    })
  },
})

/** Somebody wants it gone, its node lives, and it does not go: a volume or a process that cannot be ended. */
export const stuckTerminating = rule({
  name: 'stuck-terminating',
  why: 'A runner was asked to go long ago and its node does not report its end; the forge says that it is idle.',
  on: 'runner',
  hosted: {
    atMostMsOld: decisiveAgeMs,
    holds: (hosted, now) =>
      hosted.kind === 'running' && hosted.leavingSince !== null && now >= hosted.leavingSince + stuckAfterMs,
  },
  needs: { hosted: decisiveAgeMs, forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: {},
  concerns: isPastIdle,
  act: (subject, asked) =>
    giveUp(subject, asked, {
      class: 'unknown',
      because: ['It was asked to go, and its node never reported its end.', ...forgeSays(asked)],
    }),
})

/**
 * The same where it never asked for work: no job can have been given to it, none will be, and a pod that leaves starts
 * nothing more. So the forge has nothing to say about it, and its place in the pool need not wait for a runtime that hangs.
 */
export const stuckStart = rule({
  name: 'stuck-start',
  why: 'A runner that never asked for work was asked to go, and its node does nothing about it: it will never run a job.',
  on: 'runner',
  hosted: {
    atMostMsOld: decisiveAgeMs,
    holds: (hosted, now) =>
      hosted.kind === 'running' &&
      hosted.program === 'waiting' &&
      hosted.silentSince === null &&
      hosted.leavingSince !== null &&
      now >= hosted.leavingSince + stuckUnbegunAfterMs,
  },
  needs: { hosted: decisiveAgeMs },
  without: {
    forgeJob: 'it never asked for work, and is given none: the forge knows neither it nor a job of it',
    forgeRunner: 'it never asked for work, and is given none: the forge knows neither it nor a job of it',
  },
  concerns: ({ runner, hasOpenAttempt }) =>
    runner.state === 'fenced' && runner.polledAt === null && !hasOpenAttempt && runner.everClaimed === false,
  act: ({ runner }, { hosted }) => {
    const node = hosted?.kind === 'running' ? hosted.node : null
    const because = [
      'It was asked to go before it had asked for work.',
      `Its node ${node ?? ''} never reported its end.`,
    ]
    return [
      { kind: 'seal-lost', runnerId: runner.id, loss: { class: 'never-started', because } },
      { kind: 'abandon', runnerName: runner.name },
    ]
  },
})

/** Idle ones are fenced first, by `silent-runner`: until then a job may be given to them. */
function isPastIdle({ runner }: RunnerSubject): boolean {
  return runner.state !== 'booting' && runner.state !== 'polling'
}

function giveUp(
  { runner, hasOpenAttempt, last }: RunnerSubject,
  { forgeJob, forgeRunner }: Asked,
  loss: Loss,
): readonly Action[] {
  if (last === null && mayHaveHadOne(runner)) return lookAgain(calmMs)
  if (mayWork(forgeRunner)) return lookAgain(calmMs) // its job may take hours: the forge is not asked all the time
  if (hasOpenAttempt && forgeJob?.kind === 'known' && forgeJob.word.status === 'completed') {
    return [{ kind: 'hear', word: forgeJob.word }]
  }
  return [
    ...(last === null ? [] : removeRegistration(last.job, forgeRunner)),
    { kind: 'seal-lost', runnerId: runner.id, loss },
    { kind: 'abandon', runnerName: runner.name },
  ]
}

function silenceOf(lastHeardAt: Instant, { forgeRunner }: Asked): Silence {
  return { lastHeardAt, wasRegistered: forgeRunner?.kind === 'present' }
}

function forgeSays({ forgeRunner }: Asked): string[] {
  return [
    forgeRunner?.kind === 'present'
      ? 'The forge says that it is offline and not busy.'
      : 'The forge does not know it (any more).',
  ]
}
