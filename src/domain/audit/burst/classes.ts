import type { FindingClass } from '../audit.ts'

const notFirst = 'Never raise maxRunners, or a cap of one repository, as the first answer.'
const cpuIsNotCapacity = 'Free cpu and memory in the whole cluster are not capacity.'

function burstClass(name: string, title: string, mustNotConclude: readonly string[]): FindingClass {
  return { name, entry: 'E4', title, mustNotConclude, page: 'burst.md' }
}

export const queuedBehindCapacity = burstClass(
  'queued-behind-active-runner-capacity',
  'Jobs wait because every declared runner of their label works',
  [
    'The cluster is not exhausted: the declared number of runners is in use.',
    notFirst,
    'A scarce lane that is busy is no fault: read its holders first.',
  ],
)
export const schedulerPressure = burstClass(
  'scheduler-resource-pressure',
  'The scheduler refuses runner pods of a label',
  [cpuIsNotCapacity, notFirst, 'It says nothing about fairness between repositories.'],
)
export const podSlotPressure = burstClass('pod-slot-pressure', "A node's pod slots are nearly all taken", [
  cpuIsNotCapacity,
  'Slots are not taken by jobs alone: residue and pods of others hold them too.',
  notFirst,
])
export const quotaExceeded = burstClass('quota-exceeded', 'A resource quota keeps runners from starting', [
  'A quota shows no pending pod: that none waits does not say that there is room.',
  'Nodes with room do not help while the quota of the namespace is used up.',
])
export const scratchRegression = burstClass(
  'scratch-storage-regression',
  'Runner pods lack scratch volumes that their lane declares',
  [
    'The job is not to blame: without these volumes it writes to the disk of the node.',
    'Running the job again before the volumes are back proves nothing.',
  ],
)

export const burstClasses = [
  queuedBehindCapacity,
  schedulerPressure,
  podSlotPressure,
  quotaExceeded,
  scratchRegression,
] as const
