import { describe, expect, it } from 'vitest'
import type { PodFact, QuotaFact } from '../../snapshot/index.ts'
import {
  forgeRunnerFact,
  minuteMs,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  terminatedState,
} from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { runtime } from './index.ts'
import { type FleetGiven, fleetOf, job, line } from './testing/fleet.ts'

function judge(given: FleetGiven) {
  return judged(runtime, fleetOf(given)).findings
}

function classes(given: FleetGiven): readonly string[] {
  return found(judged(runtime, fleetOf(given)))
}

function endedPod(name: string, exitCode: number): PodFact {
  const statuses = podFact(name).statuses.map((status) => ({
    ...status,
    state: terminatedState(exitCode, 'Error'),
  }))
  return podFact(name, { phase: 'Failed', statuses })
}

describe('failed-runners-hold-slots', () => {
  const failed = runnerFact('linux-1', {
    phase: 'Failed',
    reason: 'InvalidPod',
    message: 'forbidden',
    isReady: false,
  })

  it('is a runner that ARC gave up, critical where no slot is left', () => {
    const given = { runners: [failed], pods: [] }
    expect(judge(given)).toMatchObject([{ class: 'failed-runners-hold-slots', severity: 'warning' }])
    expect(judge({ ...given, set: { maxRunners: 1 } })).toMatchObject([{ severity: 'critical' }])
  })

  it('is no failed runner that is being deleted', () => {
    const deletedAt = readAt - 1000
    expect(classes({ runners: [{ ...failed, deletedAt }], pods: [] })).toEqual([])
  })
})

describe('runners-in-failure-back-off', () => {
  const failures = [1, 2, 3].map((each) => ({ podUid: `p${each}`, at: readAt - each * minuteMs }))

  it('is a runner in phase Running that is not ready after failures', () => {
    const failing = runnerFact('linux-1', { isReady: false, failures })
    expect(judge({ runners: [failing], pods: [] })).toMatchObject([
      { class: 'runners-in-failure-back-off', severity: 'critical' },
    ])
  })

  it('is remembered by the log alone after the sixth failure', () => {
    const log = [
      line('EphemeralRunner has failed more than 5 times', 'ephemeralrunner', 'linux-gen1-runner-x1'),
    ]
    expect(classes({ log })).toEqual(['runners-in-failure-back-off linux'])
  })

  it('is no runner that came up after a failure', () => {
    expect(classes({ runners: [runnerFact('linux-1', { failures })] })).toEqual([])
  })

  it('is nothing that the log says of another set’s runner, or of an hour ago', () => {
    const sentence = 'EphemeralRunner has failed more than 5 times'
    const log = [
      line(sentence, 'ephemeralrunner', 'gpu-gen1-runner-x1'),
      line(sentence, 'ephemeralrunner', 'linux-gen1-runner-x1', 60 * minuteMs),
    ]
    expect(classes({ log })).toEqual([])
  })
})

describe('finalizer-stuck', () => {
  const finalizers = ['ephemeralrunner.actions.github.com/runner-registration-finalizer']
  const deleting = runnerFact('linux-1', { deletedAt: readAt - 10_000, finalizers })
  const generations = [runnerSetFact('linux')]
  const refused = line('Failed to clean up runner from service', 'ephemeralrunner', 'linux-1')

  it('is a removal that the forge refuses, and leads to the credential', () => {
    expect(judge({ generations, runners: [deleting], log: [refused] })).toMatchObject([
      {
        class: 'finalizer-stuck',
        confidence: 'proven',
        nextAllowedAction: { kind: 'person', text: expect.stringContaining('Repair the credential') },
      },
    ])
  })

  it('is a runner whose pod has failed while its finalizer waits for the job', () => {
    const lost = { ...deleting, job, deletedAt: readAt - 2 * minuteMs }
    const [finding] = judge({ generations, runners: [lost], pods: [endedPod('linux-1', 1)] })
    expect(finding).toMatchObject({
      class: 'finalizer-stuck',
      nextAllowedAction: { kind: 'read', text: expect.stringContaining('cancelling the job') },
    })
  })

  it('is a free runner that is still there long after its deletion', () => {
    const late = { ...deleting, deletedAt: readAt - 10 * minuteMs }
    const forge = { runners: [forgeRunnerFact('linux-1')] }
    expect(classes({ generations, runners: [late], forge })).toEqual(['finalizer-stuck linux-1'])
  })

  it('is no runner whose job still runs, however long', () => {
    const late = { ...deleting, deletedAt: readAt - 600 * minuteMs }
    expect(classes({ generations, runners: [{ ...late, job }], log: [refused] })).toEqual([])
    const forge = { runners: [forgeRunnerFact('linux-1', { isBusy: true })] }
    expect(classes({ generations, runners: [late], forge })).toEqual([])
  })

  it('is no runner that was deleted seconds ago', () => {
    const forge = { runners: [forgeRunnerFact('linux-1')] }
    expect(classes({ generations, runners: [deleting], forge })).toEqual([])
  })
})

describe('outdated', () => {
  it('is a set that ARC took down for good: no listener, no runners, and a count that ghosts hold', () => {
    const set = { phase: 'Outdated', forgeScaleSetId: null, reportedRunners: 2 }
    const [finding, ...others] = judge({ set, listener: null, generations: [] })
    expect(others).toEqual([])
    expect(finding).toMatchObject({ class: 'outdated', confidence: 'proven' })
    expect(JSON.stringify(finding?.evidence)).toContain('it reports 2 runners, and there are 0')
  })

  it('is a set that ARC takes down again and again, by the log', () => {
    const note = line('Ephemeral runner set is outdated. Cleaning up', 'autoscalingrunnerset', 'linux')
    expect(classes({ set: { isSingleSetLayout: true }, log: [note, note] })).toEqual(['outdated linux'])
  })

  it('is a runner that ended with the code for it, in releases that know no such state', () => {
    const failing = runnerFact('linux-1', { isReady: false, failures: [{ podUid: 'p', at: null }] })
    expect(classes({ runners: [failing], pods: [endedPod('linux-1', 7)] })).toContain('outdated linux')
  })

  it('is no runner that ended with another code, and no single line of the log', () => {
    const failing = runnerFact('linux-1', { isReady: false, failures: [{ podUid: 'p', at: null }] })
    const log = [line('Ephemeral runner set is outdated', 'autoscalingrunnerset', 'linux')]
    expect(classes({ runners: [failing], pods: [endedPod('linux-1', 1)], log })).toEqual([
      'runners-in-failure-back-off linux',
    ])
  })
})

describe('quota-exceeded', () => {
  const waiting = runnerFact('linux-1', { phase: null, isReady: false })
  const quota: QuotaFact = { ...objectFact('runners'), isScoped: false, hard: { pods: 2 }, used: { pods: 2 } }
  const note = line('Resource quota is exceeded; requeue in 30s', 'ephemeralrunner', 'linux-1')

  it('is a runner without phase and pod of which the log says it', () => {
    expect(judge({ runners: [waiting], pods: [], log: [note] })).toMatchObject([
      { class: 'quota-exceeded', confidence: 'proven' },
    ])
  })

  it('is likely where a quota of its namespace is full', () => {
    expect(judge({ runners: [waiting], pods: [], quotas: [quota] })).toMatchObject([
      { class: 'quota-exceeded', confidence: 'likely' },
    ])
  })

  it('is a failed runner that says so, in releases that give up at once', () => {
    const failed = { ...waiting, phase: 'Failed', message: 'forbidden: exceeded quota: runners' }
    expect(classes({ runners: [failed], pods: [] })).toEqual([
      'failed-runners-hold-slots linux',
      'quota-exceeded linux',
    ])
  })

  it('is no runner whose pod waits for a node, and none that has got its pod since', () => {
    expect(classes({ runners: [waiting], quotas: [quota], log: [note] })).toEqual([])
    expect(classes({ runners: [runnerFact('linux-1')], log: [note] })).toEqual([])
  })
})
