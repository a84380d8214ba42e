import { describe, expect, it } from 'vitest'
import { isPreemptionRefused, schedulerCauses } from './scheduler-message.ts'

const preemption =
  ' preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.'

describe('the message of a scheduler', () => {
  it.each([
    ['0/3 nodes are available: 3 Insufficient cpu.', ['insufficient-cpu']],
    [
      '0/3 nodes are available: 2 Insufficient cpu, 3 Insufficient memory.',
      ['insufficient-cpu', 'insufficient-memory'],
    ],
    ['0/1 nodes are available: 1 Insufficient ephemeral-storage.', ['insufficient-ephemeral-storage']],
    ['0/1 nodes are available: 1 Insufficient nvidia.com/gpu.', ['insufficient-extended-resource']],
    ['0/1 nodes are available: 1 Too many pods.', ['too-many-pods']],
    ['0/2 nodes are available: 2 node(s) had volume node affinity conflict.', ['volume-node-affinity']],
    [
      "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.",
      ['volume-node-affinity'],
    ],
    ['0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.', ['unbound-claim']],
    [
      "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.",
      ['unbound-claim'],
    ],
    ['0/3 nodes are available: persistentvolumeclaim "work" not found.', ['unbound-claim']],
    ['0/1 nodes are available: 1 node(s) had untolerated taint {gpu: yes}.', ['untolerated-taint']],
    ['0/1 nodes are available: 1 node(s) had untolerated taint(s).', ['untolerated-taint']],
    ["0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.", ['selector-mismatch']],
    ["0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.", ['selector-mismatch']],
    ['0/1 nodes are available: 1 node(s) were unschedulable.', ['cordoned-nodes']],
    [
      "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
      ['unschedulable'],
    ],
  ])('%s', (message, causes) => {
    expect(schedulerCauses(message)).toEqual(causes)
    expect(schedulerCauses(`${message}${preemption}`)).toEqual(causes)
  })

  it('does not blame tainted control planes where another node lacks only memory', () => {
    const message =
      '0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 Insufficient memory.'
    expect(schedulerCauses(message)).toEqual(['insufficient-memory'])
  })

  it('names both exclusions where no node came further: either may be the wrong one', () => {
    const message =
      "0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: ci}, 2 node(s) didn't match Pod's node affinity/selector."
    expect(schedulerCauses(message)).toEqual(['untolerated-taint', 'selector-mismatch'])
  })

  it('says whether the pod may preempt others', () => {
    const refused =
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.'
    expect(isPreemptionRefused(refused)).toBe(true)
    expect(isPreemptionRefused(`0/1 nodes are available: 1 Insufficient cpu.${preemption}`)).toBe(false)
  })
})
