import type { FindingClass } from '../audit.ts'

const otherStorage = "Space on storage nodes or in volumes is not the kubelet's own disk."

function imagefsClass(name: string, title: string, mustNotConclude: readonly string[]): FindingClass {
  return { name, entry: 'E4', title, mustNotConclude: [otherStorage, ...mustNotConclude], page: 'imagefs.md' }
}

export const headroom = imagefsClass('headroom', 'A node has little left before its kubelet evicts', [
  'An eviction that follows is not the fault of the job that it ends.',
])
export const atRisk = imagefsClass(
  'at-risk',
  'One runner that uses what its lane allows would fill the node',
  [
    'Nothing is full yet: the limit of a lane is more than is left.',
    'The request is not the limit: the scheduler places by requests, and pods write up to limits.',
  ],
)
export const runway = imagefsClass('runway', "A node's disk fills up within the hour at its present rate", [
  'A rate from two readings may not last: a build that writes much ends.',
])
