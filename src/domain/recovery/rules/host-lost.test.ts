import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, now } from '../../../../test/support/rows.ts'
import {
  absent,
  busy,
  facts,
  gone,
  idle,
  offline,
  type Read,
  runnerSubject,
  says,
} from '../../../../test/support/views.ts'
import { decide, type Subject } from '../index.ts'

type RunnerSubject = Extract<Subject, { kind: 'runner' }>
const since = now - 3_600_000
const last = {
  attempt: anAttempt({ state: 'running', deliveredAt: now - 9 }),
  job: aJob({ state: 'running' }),
}
const lost = (over: Partial<RunnerSubject> = {}): Subject => ({
  ...(runnerSubject({ state: 'busy', polledAt: now - 3_600_000 }) as RunnerSubject),
  hasOpenAttempt: true,
  last,
  hostLostSince: since,
  ...over,
})
const decided = (subject: Subject, read: Read) => decide({ subject, facts: facts(read) }, now)
const seal = { kind: 'seal-lost', loss: { class: 'host-lost', silence: { lastHeardAt: since } } }

describe('host-lost', () => {
  it('gives up a runner that the forge does not know', () => {
    expect(decided(lost(), { forgeJob: says('queued'), forgeRunner: absent })).toMatchObject({
      rule: 'host-lost',
      actions: [seal],
    })
  })

  it('takes away its registration first, and notes that it still had one: then it never reported its job', () => {
    const registered = (wasRegistered: boolean) => ({ ...seal, loss: { silence: { wasRegistered } } })
    expect(decided(lost(), { forgeJob: says('in_progress'), forgeRunner: offline })).toMatchObject({
      actions: [{ kind: 'remove-registration' }, registered(true)],
    })
    expect(decided(lost(), { forgeJob: says('in_progress'), forgeRunner: absent })).toMatchObject({
      actions: [registered(false)],
    })
  })

  it.each([
    ['busy', busy],
    ['online', idle],
  ])('leaves one alone that the forge says is %s', (_, forgeRunner) => {
    expect(decided(lost(), { forgeJob: says('in_progress'), forgeRunner })).toMatchObject({
      actions: [{ kind: 'look-again' }],
    })
  })

  it('leaves a runner alone that asked for a job just now: it lives, though its host is silent', () => {
    const runner = { ...(lost() as RunnerSubject).runner, polledAt: now - 60_000 }
    const subject = lost({ runner, hasOpenAttempt: false, last: null })
    expect(decided(subject, { forgeJob: gone, forgeRunner: absent })).toMatchObject({
      actions: [{ kind: 'look-again' }],
    })
  })

  it('does not leave one alone that asked before its host fell silent, or between two heartbeats: how it was then says nothing', () => {
    const runner = { ...(lost() as RunnerSubject).runner, polledAt: now - 60_000 }
    const subject = lost({ runner, hasOpenAttempt: false, last: null, hostLostSince: now - 75_000 })
    expect(decided(subject, { forgeJob: gone, forgeRunner: absent })).toMatchObject({
      actions: [{ kind: 'seal-lost', loss: { class: 'host-lost', silence: { lastHeardAt: now - 75_000 } } }],
    })
  })

  it('gives up one that never had a job', () => {
    const subject = lost({ hasOpenAttempt: false, last: null })
    expect(decided(subject, { forgeJob: gone, forgeRunner: absent })).toMatchObject({ actions: [seal] })
  })

  it('applies first that its job is over', () => {
    expect(decided(lost(), { forgeJob: says('completed'), forgeRunner: absent })).toMatchObject({
      actions: [{ kind: 'hear' }],
    })
  })

  it('does nothing while the forge cannot be asked', () => {
    expect(decided(lost(), {})).toMatchObject({ kind: 'refresh', rule: 'host-lost' })
  })

  it('does not apply to a runner whose host sends heartbeats, and no other rule to one whose host is silent', () => {
    const { hostLostSince: _, ...onLiveHost } = lost() as RunnerSubject
    expect(decided(onLiveHost, { hosted: 'absent' })).toMatchObject({ rule: 'vanished-runner' })
    expect(decided(lost(), { hosted: 'absent' })).toMatchObject({ rule: 'host-lost' })
  })
})
