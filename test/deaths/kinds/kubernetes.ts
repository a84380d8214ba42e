import { busyboxImage, makePriorityClass } from '../../cluster/index.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { onNode } from './programs.ts'

const preemptedOn = 'node-2'
const pods = '/api/v1/namespaces/default/pods'
const mergePatch = 'application/merge-patch+json'
/** More than half of what a node has, so that there is room for one of two. */
const most = { requests: { cpu: '1200m' } }

const important = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'important' },
  spec: {
    ...onNode(preemptedOn),
    priorityClassName: 'important',
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'important', image: busyboxImage, command: ['sleep', '600'], resources: most }],
  },
}

export const kubernetesKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'deleted',
    how: 'somebody deletes its pod: SIGTERM',
    classes: ['deleted'],
    cause: (stage) => afterRunning(stage, (name) => stage.remove(name)),
  },
  {
    name: 'force-deleted',
    how: 'somebody deletes its pod with a grace of 0',
    classes: ['deleted'],
    cause: (stage) => afterRunning(stage, (name) => stage.remove(name, 0)),
  },
  {
    name: 'finalizer-torn-out',
    how: 'somebody removes its finalizers by hand and force-deletes it',
    classes: ['deleted', 'vanished'],
    cause: (stage) =>
      afterRunning(stage, async (name) => {
        await stage.patchPod(name, { metadata: { finalizers: null } })
        await stage.remove(name, 0)
      }),
  },
  {
    name: 'died-twice-at-once',
    how: 'kill -9 from its node, an eviction and a force-delete of the same pod at the same time',
    classes: ['node-drained', 'deleted', 'sigkill-unknown'],
    cause: (stage) =>
      afterRunning(stage, async (name) => {
        await Promise.allSettled([stage.signal(name, 'SIGKILL'), stage.evict(name), stage.remove(name, 0)])
      }),
  },
  {
    name: 'evicted-by-api',
    how: 'an Eviction through the API, as autoscalers ask for it',
    classes: ['node-drained'],
    cause: (stage) => afterRunning(stage, (name) => stage.evict(name)),
  },
  {
    name: 'drained',
    how: 'its node is cordoned, then an Eviction, as kubectl drain does',
    classes: ['node-drained'],
    cause: (stage) =>
      afterRunning(stage, async (name) => {
        const node = `/api/v1/nodes/${await stage.nodeOf(name)}`
        await stage.api('PATCH', node, { spec: { unschedulable: true } }, mergePatch)
        try {
          await stage.evict(name)
        } finally {
          await stage.api('PATCH', node, { spec: { unschedulable: null } }, mergePatch)
        }
      }),
  },
  {
    name: 'preempted',
    how: 'a pod of a higher priority needs the room that it has',
    classes: ['preempted'],
    pool: () => ({ resources: most, template: { spec: onNode(preemptedOn) } }),
    cause: (stage) =>
      afterRunning(stage, async () => {
        await makePriorityClass(stage.world.cluster.api, 'important', 1_000)
        await stage.api('POST', pods, important)
      }),
  },
  {
    name: 'deadline',
    how: 'the activeDeadlineSeconds of its pod passes',
    classes: ['deadline-exceeded'],
    cause: (stage) =>
      afterRunning(stage, (name) => stage.patchPod(name, { spec: { activeDeadlineSeconds: 1 } })),
  },
]

async function afterRunning(stage: PodStage, act: (name: string) => Promise<void>): Promise<string> {
  const name = await stage.running()
  await act(name)
  return name
}
