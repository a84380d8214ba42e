import type { FindingClass } from '../audit.ts'

const oneGroup = "Memory of the node or of the whole cluster says nothing about one pod's limit."
const noPatch = 'A live pod is not to be patched, and work is not to be moved to hosted runners.'

export const containerOom: FindingClass = {
  name: 'container-oom',
  entry: 'E5',
  title: 'Containers were killed at a memory limit',
  mustNotConclude: [
    oneGroup,
    noPatch,
    'Exit code 137 alone would not say this: the kubelet names the OOM kill.',
  ],
  page: 'oom.md',
}

export const laneCgroupOom: FindingClass = {
  name: 'lane-cgroup-oom',
  entry: 'E5',
  title: 'The limit that killed is the one that the lane declares',
  mustNotConclude: [oneGroup, noPatch, 'One kill by itself does not show that the lane is too small.'],
  page: 'oom.md',
}

export const effectiveLimitDrift: FindingClass = {
  name: 'effective-limit-drift',
  entry: 'E5',
  title: 'Runner pods have other limits than their source says',
  mustNotConclude: [
    'The source is not what runs: an OOM under such a limit says nothing about the declared one.',
    'A limit that is filled in by a LimitRange is not a choice of the lane.',
  ],
  page: 'oom.md',
}

export const nodePressureEviction: FindingClass = {
  name: 'node-pressure-eviction',
  entry: 'E5',
  title: 'A node short of something evicted pods',
  mustNotConclude: [
    'The evicted pod was not at its own limit: the node gave more than it has.',
    'It is no OOM kill, and often no failure of the build.',
  ],
  page: 'oom.md',
}
