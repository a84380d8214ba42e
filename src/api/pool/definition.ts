import { inCluster } from './rule.ts'
import { poolName, runnerPoolSpec } from './schema.ts'
import { type Json, structuralSchema } from './structural.ts'

const messageCharsMax = 32_768
const conditionsMax = 16

/** The CustomResourceDefinition of RunnerPool; deploy/crds is made from it. */
export function runnerPoolDefinition(): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'runnerpools.holdfast.dev' },
    spec: {
      group: 'holdfast.dev',
      scope: 'Namespaced',
      names: {
        kind: 'RunnerPool',
        listKind: 'RunnerPoolList',
        plural: 'runnerpools',
        singular: 'runnerpool',
        shortNames: ['rp'],
        categories: ['holdfast'],
      },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: objectSchema() },
        },
      ],
    },
  }
}

const columns = [
  column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status', 'Whether jobs get runners.'),
  column('Reason', 'string', '.status.conditions[?(@.type=="Ready")].reason', 'Why it is or is not ready.'),
  column('Queued', 'integer', '.status.queued', 'Jobs that wait for a runner.'),
  column('Idle', 'integer', '.status.idle', 'Runners that wait for a job.'),
  column('Busy', 'integer', '.status.busy', 'Runners that have a job.'),
  column('Max', 'integer', '.spec.maxRunners', 'Most runners at a time.'),
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]

function column(name: string, type: string, jsonPath: string, description: string): Json {
  return { name, type, jsonPath, description }
}

function objectSchema(): Json {
  const [nameRule] = inCluster.get(poolName)?.rules ?? []
  return {
    type: 'object',
    description: 'A pool of CI runners that Holdfast keeps as pods in the namespace of this object.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { ...structuralSchema(runnerPoolSpec), description: 'What the pool promises.' },
      status,
    },
    'x-kubernetes-validations': [
      {
        rule: nameRule?.cel?.replace('self.', 'self.metadata.name.'),
        message: `metadata.name: expected ${nameRule?.expected}, because names of runners begin with it`,
      },
    ],
  }
}

const count = (description: string): Json => ({ type: 'integer', format: 'int32', minimum: 0, description })

const condition: Json = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: { type: 'string', maxLength: 316, description: 'Ready, Progressing or Degraded.' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status last turned.',
    },
    reason: { type: 'string', minLength: 1, maxLength: 1024, description: 'In one word.' },
    message: { type: 'string', maxLength: messageCharsMax, description: 'For people, with what to do.' },
  },
}

const status: Json = {
  type: 'object',
  description: 'How the pool fares. Holdfast writes it; what others write is put right.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'The generation of the spec that this is about.',
    },
    queued: count('Jobs that wait for a runner.'),
    idle: count('Runners that wait for a job.'),
    busy: count('Runners that have a job.'),
    starting: count('Runners that have not asked for a job yet.'),
    leaving: count('Runners that are being removed.'),
    desired: count('Runners that there should be now.'),
    conditions: {
      type: 'array',
      maxItems: conditionsMax,
      items: condition,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
}
