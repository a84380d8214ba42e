import { z } from 'zod'
import {
  flag,
  instantOrNull,
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
import { podTemplate } from './pod.ts'

const origin = z.enum(['arc', 'holdfast'])

const credentialVault = z.object({ type: text, address: textOrNull, entry: textOrNull })

export const scaleSet = objectFact.extend({
  origin,
  version: textOrNull,
  runnerLabels: texts,
  runnerGroup: textOrNull,
  configUrl: textOrNull,
  credentialSecret: textOrNull,
  // Absent in files of earlier releases.
  credentialVault: credentialVault.nullable().default(null),
  minRunners: number,
  maxRunners: numberOrNull,
  template: podTemplate,
  forgeScaleSetId: textOrNull,
  phase: textOrNull,
  specHash: textOrNull,
  isSingleSetLayout: flag,
  reportedRunners: numberOrNull,
})

export const listener = objectFact.extend({
  scaleSet: objectRef,
  runnerSetName: text,
  minRunners: number,
  maxRunners: numberOrNull,
  image: text,
  credentialSecret: textOrNull,
  imagePullSecrets: texts,
})

export const runnerSet = objectFact.extend({
  scaleSet: objectRef.nullable(),
  specHash: textOrNull,
  replicas: number,
  patchId: number,
  phase: textOrNull,
  images: textByName,
  reported: z.object({ current: number, pending: number, running: number, failed: number }).nullable(),
})

const runnerJob = z.object({
  requestId: textOrNull,
  id: textOrNull,
  name: textOrNull,
  repository: textOrNull,
  workflowRef: textOrNull,
  runId: numberOrNull,
})

export const runner = objectFact.extend({
  origin,
  scaleSet: objectRef.nullable(),
  runnerSet: z.object({ name: text, uid: text }).nullable(),
  phase: textOrNull,
  reason: textOrNull,
  message: textOrNull,
  isReady: flag,
  forgeRunnerId: numberOrNull,
  job: runnerJob.nullable(),
  failures: listOf(z.object({ podUid: text, at: instantOrNull })),
  specHash: textOrNull,
  images: textByName,
})
