import { describe, expect, it } from 'vitest'
import { type NodeObject, toNodeObject } from '../objects/objects.ts'
import { hostNodeOf, isSameToRunners, nodeSilentSince } from './nodes.ts'

const since = '2026-01-02T03:04:05Z'
const node = (conditions: readonly object[], spec = {}): NodeObject =>
  toNodeObject({
    metadata: { name: 'node-1', uid: 'u', resourceVersion: '1' },
    spec,
    status: { conditions: conditions.map((each) => ({ lastTransitionTime: since, ...each })) },
  })
const ready = (status: string, message = '') => ({ type: 'Ready', status, message })

describe('a node', () => {
  it('shows whether it is ready or cordoned, and its pressure conditions', () => {
    const pressed = [
      ready('True'),
      { type: 'DiskPressure', status: 'True' },
      { type: 'PIDPressure', status: 'False' },
    ]
    expect(hostNodeOf(node(pressed, { unschedulable: true }))).toEqual({
      name: 'node-1',
      isReady: true,
      isCordoned: true,
      pressures: ['DiskPressure'],
    })
    expect(hostNodeOf(node([ready('False')]))).toMatchObject({
      isReady: false,
      isCordoned: false,
      pressures: [],
    })
  })

  const silences: readonly [title: string, conditions: readonly object[], isSilent: boolean][] = [
    ['is ready', [ready('True')], false],
    ['has stopped reporting', [ready('Unknown', 'Kubelet stopped posting node status.')], true],
    ['does not see its containers', [ready('False', 'PLEG is not healthy: last seen active 3m ago')], true],
    ['has lost its runtime', [ready('False', '[container runtime is down]')], true],
    ['lacks a network and says so', [ready('False', 'cni plugin not initialized')], false],
    ['has said nothing yet', [], false],
  ]
  it.each(silences)('is silent or not where it %s', (_, conditions, isSilent) => {
    expect(nodeSilentSince(node(conditions))).toBe(isSilent ? Date.parse(since) : null)
  })

  it('concerns its runners when it falls silent or is closed, not with every heartbeat', () => {
    const before = node([ready('True')])
    expect(isSameToRunners(before, node([ready('True', 'another word')]))).toBe(true)
    expect(isSameToRunners(before, node([ready('Unknown')]))).toBe(false)
    expect(isSameToRunners(before, node([ready('True')], { unschedulable: true }))).toBe(false)
  })
})
