import { z } from 'zod'
import { listener, runner, runnerSet, scaleSet } from './arc.ts'
import { machine, node, nodeProbe, nodeSettings, nodeUsage } from './node.ts'
import {
  amounts,
  condition,
  flag,
  instantOrNull,
  listing,
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
import { pod } from './pod.ts'

const event = z.object({
  namespace: text,
  type: text,
  reason: text,
  message: text,
  subject: z.object({ kind: text, name: text, uid: textOrNull }),
  count: number,
  firstAt: instantOrNull,
  lastAt: instantOrNull,
})

const quota = objectFact.extend({ isScoped: flag, hard: amounts, used: amounts })

const limit = z.object({
  type: text,
  max: amounts,
  min: amounts,
  defaultLimits: amounts,
  defaultRequests: amounts,
})

const claim = objectFact.extend({
  phase: text,
  storageClass: textOrNull,
  requestedBytes: numberOrNull,
  volume: textOrNull,
})

const storageClass = z.object({ name: text, provisioner: text, isDefault: flag, bindsOnFirstConsumer: flag })

const storageCapacity = z.object({ storageClass: text, availableBytes: numberOrNull, nodeLabels: textByName })

const autoscaler = objectFact.extend({
  target: z.object({ kind: text, name: text }),
  min: number,
  max: number,
  current: numberOrNull,
  desired: numberOrNull,
  conditions: listOf(condition),
})

const priorityClass = z.object({ name: text, value: number, isDefault: flag, preempts: flag })

const deployment = objectFact.extend({
  labels: textByName,
  replicas: number,
  available: number,
  images: textByName,
  args: texts,
})

const service = objectFact.extend({ ports: listOf(number), readyAddresses: numberOrNull })

const secret = objectFact.extend({
  type: text,
  keys: listOf(z.object({ name: text, hash: textOrNull })),
  registries: texts,
})

const log = z.object({
  pod: objectRef,
  container: text,
  role: z.enum(['controller', 'listener', 'runner', 'manager']),
  lines: texts,
  isCut: flag,
})

const noRunnerLogs = {
  source: 'cluster' as const,
  at: 0,
  items: [],
  unread: [
    { what: 'logs of runners that ended', why: 'the snapshot is from before they were read', needs: null },
  ],
}

export const clusterSchema = z.object({
  scaleSets: listing(scaleSet),
  listeners: listing(listener),
  runnerSets: listing(runnerSet),
  runners: listing(runner),
  pods: listing(pod),
  nodes: listing(node),
  nodeUsage: listing(nodeUsage),
  nodeSettings: listing(nodeSettings),
  nodeProbes: listing(nodeProbe),
  events: listing(event),
  quotas: listing(quota),
  limitRanges: listing(objectFact.extend({ limits: listOf(limit) })),
  claims: listing(claim),
  storageClasses: listing(storageClass),
  storageCapacity: listing(storageCapacity),
  autoscalers: listing(autoscaler),
  priorityClasses: listing(priorityClass),
  deployments: listing(deployment),
  services: listing(service),
  secrets: listing(secret),
  logs: listing(log),
  // Files of the first programs do not have them.
  runnerLogs: listing(log).default(noRunnerLogs),
  machines: listing(machine),
  namespaces: listing(objectFact.extend({ phase: text })),
  cronJobs: listing(objectFact.extend({ schedule: text, isSuspended: flag, deleting: texts })),
})
