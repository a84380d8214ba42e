import { describe, expect, it } from 'vitest'
import { type Deleter, deleterOf } from './deleter.ts'
import type { Ending, PodEnd } from './ending.ts'
import { anEnd, aPodEnd, endedAt } from './testing.ts'

const disruption = (reason: string, message = '') => ({ disruption: { reason, message } })
const event = {
  type: 'Warning',
  reason: 'TaintManagerEviction',
  message: 'x',
  count: 1,
  firstAt: 1,
  lastAt: 1,
}
const cases: readonly [title: string, Deleter | null, Partial<PodEnd> | null, Partial<Ending>?][] = [
  ['nobody', null, {}],
  ['nobody of a process', null, null],
  ['Holdfast', 'holdfast', { deletedAt: endedAt - 1 }, { stopRequestedBy: 'the pool shrank' }],
  ['Holdfast, of a process', 'holdfast', null, { stopRequestedBy: 'the pool shrank' }],
  ['somebody', 'unknown', { deletedAt: endedAt - 1 }],
  ['nobody before its end', null, { deletedAt: endedAt + 1 }],
  ['the kubelet', 'kubelet-eviction', { reason: 'Evicted' }],
  ['the kubelet by a condition alone', 'kubelet-eviction', disruption('TerminationByKubelet')],
  ['a drain', 'eviction-api', disruption('EvictionByEvictionAPI')],
  ['the scheduler', 'preemption', disruption('PreemptionByScheduler')],
  [
    'a critical pod',
    'preemption',
    disruption('TerminationByKubelet', 'Preempted in order to admit critical pod'),
  ],
  ['the kubelet in older words for that', 'preemption', { reason: 'Preempting' }],
  ['the taint manager', 'taint-manager', disruption('DeletionByTaintManager')],
  ['the taint manager of older releases', 'taint-manager', { events: [event], deletedAt: endedAt - 1 }],
  ['the garbage collector', 'pod-garbage-collection', disruption('DeletionByPodGC')],
  [
    'a shutdown',
    'node-shutdown',
    { reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' },
  ],
  [
    'a shutdown in older words',
    'node-shutdown',
    { reason: 'Shutdown', message: 'Node is shutting down, evicting pods' },
  ],
  [
    'the cluster, and then Holdfast',
    'eviction-api',
    disruption('EvictionByEvictionAPI'),
    { stopRequestedBy: 'x' },
  ],
]

describe('the client that deleted a runner', () => {
  it.each(cases)('%s', (_, expected, pod, over = {}) => {
    expect(deleterOf(anEnd({ pod: pod === null ? null : aPodEnd(pod), ...over }))).toBe(expected)
  })
})
