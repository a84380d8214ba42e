import { describe, expect, it } from 'vitest'
import type { RunnerSetFact } from '../../snapshot/index.ts'
import { forgeRunnerFact, minuteMs, readAt, runnerFact, runnerSetFact } from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { runtime } from './index.ts'
import { type FleetGiven, fleetOf, job, line, nextGeneration } from './testing/fleet.ts'

function judge(given: FleetGiven) {
  return judged(runtime, fleetOf({ listener: null, ...given }))
}

const images = { runner: 'ghcr.io/actions/actions-runner:2.333.1' }
const idle = runnerFact('linux-1')
const busy = runnerFact('linux-2', { job })

function generation(given: Partial<RunnerSetFact>): readonly RunnerSetFact[] {
  return [runnerSetFact('linux', given)]
}

describe('rollover-deadlock, one set patched in place (after 0.14.2)', () => {
  const set = { isSingleSetLayout: true, phase: 'Pending' }
  const held = { set, generations: generation({ replicas: 1, images }), runners: [idle] }

  it('is an idle runner of the old spec, with no listener and replicas still wanted', () => {
    const forge = { runners: [forgeRunnerFact('linux-1')] }
    expect(judge({ ...held, forge }).findings).toMatchObject([
      {
        class: 'rollover-deadlock',
        severity: 'critical',
        confidence: 'proven',
        nextAllowedAction: { kind: 'person' },
      },
    ])
  })

  it('is only likely without the forge’s word, and may only be read about', () => {
    expect(judge({ ...held, forge: null }).findings).toMatchObject([
      { class: 'rollover-deadlock', confidence: 'likely', nextAllowedAction: { kind: 'read' } },
    ])
  })

  it('is at risk where all are busy and replicas are still wanted: idle ones follow', () => {
    const { findings } = judge({ ...held, runners: [busy] })
    expect(findings).toMatchObject([{ class: 'rollover-deadlock', severity: 'warning' }])
  })

  it('is no rollover that wants no replicas: it ends with its jobs', () => {
    const generations = generation({ replicas: 0, images })
    expect(judge({ ...held, generations, runners: [busy] }).findings).toEqual([])
  })

  it('is not concluded while some runners could not be read', () => {
    const snapshot = fleetOf({ ...held, listener: null })
    const runners = { ...snapshot.cluster.runners, unread: [{ what: 'x', why: 'forbidden', needs: null }] }
    expect(found(judged(runtime, { ...snapshot, cluster: { ...snapshot.cluster, runners } }))).toEqual([])
  })
})

describe('rollover-deadlock, generations (up to 0.14.2)', () => {
  const held = { set: { phase: 'Pending' }, generations: generation({ replicas: 0, images }) }
  const waiting = line(
    'Waiting for the running and pending runners to finish',
    'autoscalingrunnerset',
    'linux',
  )

  it('is an idle runner that stays though no replicas are wanted; with the forge’s word its removal can be planned', () => {
    const forge = { runners: [forgeRunnerFact('linux-1')] }
    const { findings } = judge({ ...held, runners: [idle, busy], forge, log: [waiting] })
    expect(findings.find((finding) => finding.class === 'rollover-deadlock')).toMatchObject({
      confidence: 'proven',
      nextAllowedAction: {
        kind: 'change',
        text: expect.stringContaining('of the old spec'),
        command: 'holdfast reap --scale-set arc-runners/linux --stale-generation',
      },
    })
    expect(JSON.stringify(findings)).not.toContain('linux-2')
  })

  it('is read about again while the runner is too young for the reaper', () => {
    const forge = { runners: [forgeRunnerFact('linux-1')] }
    const young = { ...idle, createdAt: readAt - 30 * minuteMs }
    const { findings } = judge({ ...held, runners: [young], forge, log: [waiting] })
    expect(findings.find((finding) => finding.class === 'rollover-deadlock')).toMatchObject({
      nextAllowedAction: { kind: 'read', command: 'holdfast audit runtime' },
    })
  })

  it('is an idle runner of either of two generations without a listener', () => {
    const generations = [...generation({ images }), nextGeneration({ replicas: 1 })]
    expect(found(judge({ ...held, generations, runners: [idle] }))).toContain('rollover-deadlock linux')
  })

  it('is no rollover with only busy runners left: it looks alike, and ends with their jobs', () => {
    expect(judge({ ...held, runners: [busy] }).findings).toEqual([])
  })
})

describe('stale-idle-listener-blocker', () => {
  const held = { generations: generation({ replicas: 1 }), runners: [idle] }

  it('is an idle runner of the present spec that keeps the listener from coming back', () => {
    const forge = { runners: [forgeRunnerFact('linux-1')] }
    expect(judge({ ...held, forge }).findings).toMatchObject([
      { class: 'stale-idle-listener-blocker', nextAllowedAction: { kind: 'person' } },
    ])
  })

  it('needs the forge’s word before anybody acts', () => {
    expect(judge({ ...held, forge: null }).findings).toMatchObject([
      { class: 'stale-idle-listener-blocker', nextAllowedAction: { kind: 'read' } },
    ])
  })

  it('is no busy runner: then only the listener is missing', () => {
    expect(found(judge({ ...held, runners: [busy] }))).toEqual(['listener-missing linux'])
  })
})
