import { z } from 'zod'
import {
  amounts,
  condition,
  flag,
  instant,
  listOf,
  number,
  numberOrNull,
  objectFact,
  objectRef,
  text,
  textByName,
  textOrNull,
  texts,
} from './parts.ts'

const taint = z.object({ key: text, value: textOrNull, effect: text })

export const node = objectFact.extend({
  labels: textByName,
  isCordoned: flag,
  taints: listOf(taint),
  conditions: listOf(condition),
  allocatable: amounts,
  capacity: amounts,
  kubeletVersion: textOrNull,
  osImage: textOrNull,
  bootId: textOrNull,
  images: texts,
  machine: objectRef.nullable(),
})

const filesystem = z.object({
  availableBytes: numberOrNull,
  capacityBytes: numberOrNull,
  usedBytes: numberOrNull,
  inodesFree: numberOrNull,
  inodes: numberOrNull,
})

const podUsage = z.object({
  pod: objectRef,
  ephemeralBytes: numberOrNull,
  memoryWorkingSetBytes: numberOrNull,
})

export const nodeUsage = z.object({
  node: text,
  at: instant,
  nodefs: filesystem,
  imagefs: filesystem,
  memoryAvailableBytes: numberOrNull,
  processesMax: numberOrNull,
  processes: numberOrNull,
  pods: listOf(podUsage),
})

export const nodeSettings = z.object({
  node: text,
  maxPods: numberOrNull,
  evictionHard: textByName,
  imageGcHighPercent: numberOrNull,
})

export const nodeProbe = z.object({
  node: text,
  at: instant,
  fileTable: z.object({ allocated: number, max: number }).nullable(),
  openFilesMax: numberOrNull,
  workers: texts.nullable(),
})

export const machine = objectFact.extend({
  phase: textOrNull,
  node: textOrNull,
  version: textOrNull,
  conditions: listOf(condition),
})
