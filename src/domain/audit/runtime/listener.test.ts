import { describe, expect, it } from 'vitest'
import {
  minuteMs,
  podFact,
  readAt,
  runnerFact,
  terminatedState,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { runtime } from './index.ts'
import { type FleetGiven, fleetOf, job, line } from './testing/fleet.ts'

function classes(given: FleetGiven): readonly string[] {
  return found(judged(runtime, fleetOf(given)))
}

const ended = line('Listener pod is terminated', 'autoscalinglistener', 'linux-listener', 1000)
const young = { createdAt: readAt - 3000 }

describe('listener-crash-loop', () => {
  it('is a young pod of an old listener whose ends the controller notes again and again', () => {
    expect(classes({ listenerPod: young, log: [ended, ended] })).toEqual(['listener-crash-loop linux'])
  })

  it('is a pod that has ended, whatever the log says: ARC makes the next one at once', () => {
    const statuses = podFact('x').statuses.map((status) => ({
      ...status,
      state: terminatedState(1, 'Error'),
    }))
    expect(classes({ listenerPod: { phase: 'Failed', statuses } })).toEqual(['listener-crash-loop linux'])
  })

  it('is no listener whose pod was moved once', () => {
    expect(classes({ listenerPod: young, log: [ended] })).toEqual([])
  })

  it('is no listener that has stayed up since its ends', () => {
    expect(classes({ log: [ended, ended] })).toEqual([])
  })

  it('is left open where a young pod could be one, and the log was not read', () => {
    const snapshot = fleetOf({ listenerPod: young })
    const dark = { ...snapshot, cluster: { ...snapshot.cluster, logs: unread<never>('logs') } }
    const { findings, unjudged } = judged(runtime, dark)
    expect(findings).toEqual([])
    expect(unjudged).toContainEqual(expect.objectContaining({ class: 'listener-crash-loop' }))
  })
})

describe('listener-not-ready', () => {
  it('is a pod that waits for its image, and leads to the pull secrets', () => {
    const statuses = podFact('x').statuses.map((status) => ({
      ...status,
      state: waitingState('ImagePullBackOff', '403 Forbidden'),
    }))
    const { findings } = judged(runtime, fleetOf({ listenerPod: { ...young, phase: 'Pending', statuses } }))
    expect(findings).toMatchObject([
      { class: 'listener-not-ready', nextAllowedAction: { command: 'holdfast audit pull-secrets' } },
    ])
  })

  it('is a pod without a node for longer than a start takes, and leads to pending pods', () => {
    const pending = { phase: 'Pending', node: null, statuses: [], createdAt: readAt - 2 * minuteMs }
    const { findings } = judged(runtime, fleetOf({ listenerPod: pending }))
    expect(findings).toMatchObject([
      { class: 'listener-not-ready', nextAllowedAction: { command: 'holdfast audit pending' } },
    ])
  })

  it('is no pod that was made seconds ago', () => {
    expect(classes({ listenerPod: { ...young, phase: 'Pending', node: null, statuses: [] } })).toEqual([])
  })
})

describe('listener-missing', () => {
  it('is a registered set without a listener and without runners to wait for', () => {
    expect(classes({ listener: null })).toEqual(['listener-missing linux'])
  })

  it('is a listener without a pod', () => {
    expect(classes({ listenerPod: null })).toEqual(['listener-missing linux'])
  })

  it('is no rollover that ends with its last jobs', () => {
    const generations = fleetOf().cluster.runnerSets.items
    expect(classes({ listener: null, generations, runners: [runnerFact('linux-1', { job })] })).toEqual([])
  })

  it('is no set that ARC is making', () => {
    const generations = fleetOf().cluster.runnerSets.items.map((each) => ({ ...each, ...young }))
    expect(classes({ listener: null, generations })).toEqual([])
  })

  it('is left open where listeners may be in a namespace that was not read', () => {
    const snapshot = fleetOf({ listener: null })
    const narrow = { ...snapshot, scope: { ...snapshot.scope, namespaces: ['arc-runners'] } }
    const { findings, unjudged } = judged(runtime, narrow)
    expect(findings).toEqual([])
    expect(unjudged).toContainEqual(expect.objectContaining({ class: 'listener-missing' }))
  })
})

describe('scale-set-never-registered', () => {
  const refused = line('Failed to get runner scale set from Actions service', 'autoscalingrunnerset', 'linux')
  const nothing = { listener: null, generations: [] }

  it('is a set without a number that the forge refuses, from the first refusal on', () => {
    const set = { forgeScaleSetId: null, createdAt: readAt - 5000 }
    const { findings } = judged(runtime, fleetOf({ ...nothing, set, log: [refused] }))
    expect(findings).toMatchObject([{ class: 'scale-set-never-registered', confidence: 'proven' }])
  })

  it('is a set that has none for too long, without a word in the log', () => {
    const { findings } = judged(runtime, fleetOf({ ...nothing, set: { forgeScaleSetId: null } }))
    expect(findings).toMatchObject([{ class: 'scale-set-never-registered', confidence: 'likely' }])
  })

  it('is no set that was applied seconds ago', () => {
    expect(classes({ ...nothing, set: { forgeScaleSetId: null, createdAt: readAt - 5000 } })).toEqual([])
  })
})
