import { describe, expect, it } from 'vitest'
import { evictionOf } from './eviction.ts'

/** As kubelets of several releases wrote them. */
const texts: readonly [words: string, expected: ReturnType<typeof evictionOf>][] = [
  [
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 17348Ki. Container app was using 188Ki, request is 0, has larger consumption of memory. ',
    'evicted-memory',
  ],
  [
    'The node was low on resource: memory. Container runner was using 22Mi, which exceeds its request of 15Mi. ',
    'evicted-memory',
  ],
  ['The node was low on resource: [MemoryPressure].', 'evicted-memory'],
  ['The node had condition: [MemoryPressure]. ', 'evicted-memory'],
  [
    'The node was low on resource: ephemeral-storage. Threshold quantity: 2722654248, available: 371692Ki. Container fill was using 40Ki, request is 0, has larger consumption of ephemeral-storage. ',
    'evicted-disk',
  ],
  ['The node was low on resource: nodefs.', 'evicted-disk'],
  ['The node was low on resource: imagefs.', 'evicted-disk'],
  ['The node was low on resource: [DiskPressure].', 'evicted-disk'],
  ['Pod The node had condition: [DiskPressure]. ', 'evicted-disk'],
  ['The node had condition: [MemoryPressure DiskPressure]. ', 'evicted-disk'],
  ['The node was low on resource: inodes. ', 'evicted-inodes'],
  ['The node was low on resource: nodefsInodes.', 'evicted-inodes'],
  ['The node was low on resource: imagefsInodes.', 'evicted-inodes'],
  ['The node was low on resource: pids. Threshold quantity: 3277, available: 3000. ', 'evicted-pid'],
  ['The node had condition: [PIDPressure]. ', 'evicted-pid'],
  ['Container runner exceeded its local ephemeral storage limit "2Gi". ', 'evicted-ephemeral-storage'],
  ['container "runner" exceeded its local ephemeral storage limit "2Gi"', 'evicted-ephemeral-storage'],
  [
    'Pod ephemeral local storage usage exceeds the total limit of containers 2Gi. ',
    'evicted-ephemeral-storage',
  ],
  [
    'pod ephemeral local storage usage exceeds the total limit of containers {{10 0} {<nil>} 10 DecimalSI}',
    'evicted-ephemeral-storage',
  ],
  ['Usage of EmptyDir volume "work" exceeds the limit "1Gi". ', 'evicted-ephemeral-storage'],
  ['usage of EmptyDir volume "work" exceeds the limit "1Gi"', 'evicted-ephemeral-storage'],
  ['The node was low on compute resources.', 'evicted'],
  ['', 'evicted'],
]

describe('the resource for which a kubelet evicted a pod', () => {
  it.each(texts)('%s', (words, expected) => {
    expect(evictionOf(words)).toBe(expected)
  })
})
