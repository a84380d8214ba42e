import fc from 'fast-check'
import type { FilesystemUsage } from '../../../src/domain/snapshot/index.ts'
import { nodeFact, readAt } from '../../../src/domain/snapshot/testing/facts.ts'
import { mostly, nodeNames, runnerNames, someOf } from './choose.ts'

const gib = 2 ** 30

const filesystem = mostly(120, 15, 2).map(
  (free): FilesystemUsage => ({
    availableBytes: free * gib,
    capacityBytes: 200 * gib,
    usedBytes: (200 - free) * gib,
    inodesFree: free === 2 ? 10_000 : 9_000_000,
    inodes: 10_000_000,
  }),
)

/** Nodes by the API server, their kubelets and Holdfast's agent. */
export const nodeFacts = {
  nodes: someOf(nodeNames, (name) =>
    fc
      .record({
        pressure: mostly<string | null>(null, 'DiskPressure', 'MemoryPressure', 'NotReady'),
        isCordoned: mostly(false, true),
        pods: mostly(110, 3),
      })
      .map(({ pressure, isCordoned, pods }) => {
        const plain = nodeFact(name)
        const ready = { type: 'Ready', reason: 'KubeletReady', message: null, at: readAt }
        const condition = {
          type: pressure ?? '',
          status: 'True',
          reason: 'KubeletHas',
          message: null,
          at: readAt,
        }
        return nodeFact(name, {
          isCordoned,
          allocatable: { ...plain.allocatable, pods },
          conditions: [
            { ...ready, status: pressure === 'NotReady' ? 'Unknown' : 'True' },
            ...(pressure === null || pressure === 'NotReady' ? [] : [condition]),
          ],
          images: ['ghcr.io/actions/gha-runner-scale-set-controller:0.14.2'],
        })
      }),
  ),
  nodeUsage: someOf(nodeNames, (node) =>
    fc.record({ nodefs: filesystem, imagefs: filesystem, memory: mostly(30, 0.1) }).map((given) => ({
      node,
      at: readAt,
      nodefs: given.nodefs,
      imagefs: given.imagefs,
      memoryAvailableBytes: given.memory * gib,
      processesMax: 32_000,
      processes: 900,
      pods: [
        {
          pod: { namespace: 'arc-runners', name: 'linux-1' },
          ephemeralBytes: 3 * gib,
          memoryWorkingSetBytes: gib,
        },
      ],
    })),
  ),
  nodeSettings: someOf(nodeNames, (node) =>
    fc.constant({
      node,
      maxPods: 110,
      evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '15%', 'memory.available': '100Mi' },
      imageGcHighPercent: 85,
    }),
  ),
  nodeProbes: someOf(nodeNames, (node) =>
    fc
      .record({ allocated: mostly(5_000, 98_000), hasWorker: fc.boolean() })
      .map(({ allocated, hasWorker }) => ({
        node,
        at: readAt,
        fileTable: { allocated, max: 100_000 },
        openFilesMax: 1_048_576,
        workers: hasWorker ? [runnerNames[0]] : [],
      })),
  ),
}
