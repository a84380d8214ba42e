import type {
  FilesystemUsage,
  NodeFact,
  NodeSettingsFact,
  NodeUsageFact,
} from '../../../../domain/snapshot/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import {
  amounts,
  type Cursor,
  each,
  flag,
  has,
  inside,
  name,
  nameNeeded,
  number,
  ShapeProblem,
  textMap,
  texts,
  time,
} from './cursor.ts'
import { conditionsIn, objectFact } from './object.ts'

/** A kubelet reports 50 images unless it is asked for more, each by a few names. */
const imageNamesMax = 200

export function parseNode(node: Cursor): NodeFact {
  const metadata = inside(node, 'metadata')
  const spec = inside(node, 'spec')
  const status = inside(node, 'status')
  const info = inside(status, 'nodeInfo')
  return {
    ...objectFact(node),
    labels: textMap(metadata, 'labels'),
    isCordoned: flag(spec, 'unschedulable'),
    taints: each(spec, 'taints').map((taint) => ({
      key: nameNeeded(taint, 'key'),
      value: name(taint, 'value'),
      effect: nameNeeded(taint, 'effect'),
    })),
    conditions: conditionsIn(status),
    allocatable: amounts(status, 'allocatable'),
    capacity: amounts(status, 'capacity'),
    kubeletVersion: name(info, 'kubeletVersion'),
    osImage: name(info, 'osImage'),
    bootId: name(info, 'bootID'),
    images: each(status, 'images')
      .flatMap((image) => texts(image, 'names'))
      .slice(0, imageNamesMax),
    machine: machineOf(inside(metadata, 'annotations')),
  }
}

function machineOf(annotations: Cursor): NodeFact['machine'] {
  const machine = name(annotations, 'cluster.x-k8s.io/machine')
  const namespace = name(annotations, 'cluster.x-k8s.io/cluster-namespace')
  return machine === null || namespace === null ? null : { namespace, name: machine }
}

/** A kubelet's `stats/summary`, as the node that was asked. */
export function parseNodeUsage(summary: Cursor, asked: string, readAt: Instant): NodeUsageFact {
  if (!has(summary, 'node')) throw new ShapeProblem('node is absent')
  const node = inside(summary, 'node')
  const memory = inside(node, 'memory')
  const limits = inside(node, 'rlimit')
  return {
    node: asked,
    at: time(memory, 'time') ?? readAt,
    nodefs: parseFilesystem(inside(node, 'fs')),
    imagefs: parseFilesystem(inside(inside(node, 'runtime'), 'imageFs')),
    memoryAvailableBytes: number(memory, 'availableBytes'),
    processesMax: number(limits, 'maxpid'),
    processes: number(limits, 'curproc'),
    pods: each(summary, 'pods').map((pod) => {
      const ref = inside(pod, 'podRef')
      return {
        pod: { namespace: nameNeeded(ref, 'namespace'), name: nameNeeded(ref, 'name') },
        ephemeralBytes: number(inside(pod, 'ephemeral-storage'), 'usedBytes'),
        memoryWorkingSetBytes: number(inside(pod, 'memory'), 'workingSetBytes'),
      }
    }),
  }
}

function parseFilesystem(fs: Cursor): FilesystemUsage {
  return {
    availableBytes: number(fs, 'availableBytes'),
    capacityBytes: number(fs, 'capacityBytes'),
    usedBytes: number(fs, 'usedBytes'),
    inodesFree: number(fs, 'inodesFree'),
    inodes: number(fs, 'inodes'),
  }
}

/** A kubelet's `configz`, as the node that was asked. */
export function parseNodeSettings(configz: Cursor, asked: string): NodeSettingsFact {
  if (!has(configz, 'kubeletconfig')) throw new ShapeProblem('kubeletconfig is absent')
  const settings = inside(configz, 'kubeletconfig')
  return {
    node: asked,
    maxPods: number(settings, 'maxPods'),
    evictionHard: textMap(settings, 'evictionHard'),
    imageGcHighPercent: number(settings, 'imageGCHighThresholdPercent'),
  }
}
