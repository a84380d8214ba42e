import { z } from 'zod'
import {
  amounts,
  condition,
  flag,
  instantOrNull,
  listOf,
  number,
  numberOrNull,
  objectFact,
  text,
  textByName,
  textOrNull,
  texts,
} from './parts.ts'

const env = z.object({
  name: text,
  value: textOrNull,
  from: z.enum(['value', 'secret', 'config-map', 'field']),
  ref: textOrNull,
})

const container = z.object({
  name: text,
  isInit: flag,
  isSidecar: flag,
  image: text,
  requests: amounts,
  limits: amounts,
  env: listOf(env),
})

const toleration = z.object({ key: textOrNull, operator: text, value: textOrNull, effect: textOrNull })

const volume = z.object({
  name: text,
  kind: z.enum(['empty-dir', 'claim', 'ephemeral-claim', 'host-path', 'other']),
  claim: textOrNull,
  storageClass: textOrNull,
  sizeBytes: numberOrNull,
  mountPaths: texts,
})

const nodeExpression = z.object({
  key: text,
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
  values: texts,
})

const podTerm = z.object({
  topologyKey: text,
  selector: listOf(nodeExpression).nullable(),
  namespaces: texts.nullable(),
  isWhole: flag,
})

const podRules = z.object({
  affinity: listOf(podTerm),
  antiAffinity: listOf(podTerm),
  spread: texts,
})

export const podTemplate = z.object({
  containers: listOf(container),
  nodeSelector: textByName,
  tolerations: listOf(toleration),
  nodeAffinity: listOf(listOf(nodeExpression)).nullable(),
  volumes: listOf(volume),
  imagePullSecrets: texts,
  priorityClass: textOrNull,
  serviceAccount: textOrNull,
  overhead: amounts,
  // Files of older versions have neither.
  labels: textByName.default({}),
  podRules: podRules.nullable().default(null),
})

const containerState = z.object({
  kind: z.enum(['waiting', 'running', 'terminated']),
  reason: textOrNull,
  message: textOrNull,
  exitCode: numberOrNull,
  signal: numberOrNull,
  startedAt: instantOrNull,
  finishedAt: instantOrNull,
})

const containerStatus = z.object({
  name: text,
  isReady: flag,
  restarts: number,
  imageId: textOrNull,
  state: containerState.nullable(),
  lastState: containerState.nullable(),
})

export const pod = objectFact.extend({
  ...podTemplate.shape,
  labels: textByName,
  annotations: textByName,
  owner: z.object({ kind: text, name: text, uid: text }).nullable(),
  node: textOrNull,
  phase: text,
  reason: textOrNull,
  message: textOrNull,
  startedAt: instantOrNull,
  conditions: listOf(condition),
  statuses: listOf(containerStatus),
  priority: numberOrNull,
})
