import { z } from 'zod'
import { type AnyPlan, planVersion, probeKinds, remedyStates } from '../../domain/remedy/index.ts'
import { applyStates } from '../../domain/remedy/managed-apply/index.ts'
import type { TrailHead, TrailRow } from '../../domain/trail/index.ts'
import { folderModes } from '../../domain/workdir/index.ts'

const gate = z.strictObject({ gate: z.string(), passed: z.boolean(), proof: z.string() })
const place = z.strictObject({ namespace: z.string(), name: z.string() })

export const headSchema: z.ZodType<TrailHead> = z.strictObject({ count: z.int().min(0), hash: z.string() })

export const rowSchema: z.ZodType<TrailRow> = z.strictObject({
  number: z.int(),
  at: z.number(),
  actor: z.strictObject({ kind: z.enum(['person', 'token', 'controller']), name: z.string() }),
  remedy: z.string(),
  plan: z.string().nullable(),
  step: z.enum([...remedyStates, ...applyStates]),
  subject: z.string().nullable(),
  gates: z.array(gate),
  outcome: z.string(),
  previous: z.string(),
  hash: z.string(),
})

/** The part that all plans share; a remedy adds its name, its scope and its objects. */
const plan = z.strictObject({
  version: z.literal(planVersion),
  program: z.string(),
  site: z.string(),
  observedAt: z.number(),
  plannedAt: z.number(),
  expiresAt: z.number(),
  gates: z.array(gate),
  skipped: z.array(place.extend({ why: z.string() })),
})

const object = place.extend({
  uid: z.string().min(1),
  resourceVersion: z.string().min(1),
  why: z.string(),
  evidence: z.array(z.string()),
})

const hostPlan = plan.extend({
  scope: z.strictObject({ host: z.string() }),
  objects: z.array(
    object.extend({ kind: z.literal('RunnerHost'), rootId: z.string(), listeners: z.array(z.int()) }),
  ),
})

const folderTarget = z.strictObject({
  folder: z.string(),
  mode: z.enum(folderModes),
  ids: z.strictObject({ root: z.string(), work: z.string(), folder: z.string() }),
  ownerUid: z.int().min(0),
})

const runner = object.extend({
  kind: z.literal('EphemeralRunner'),
  scaleSet: place,
  forgeScope: z.string(),
})

const copy = object.extend({
  scaleSet: place,
  listener: place,
  registry: z.string(),
  source: place.extend({ uid: z.string().min(1), resourceVersion: z.string().min(1) }),
  sourceHash: z.string(),
})

const probe = object.extend({
  kind: z.literal('Pod'),
  asks: z.enum(probeKinds),
  probeId: z.string().min(1),
  scaleSet: place.extend({ uid: z.string().min(1), generation: z.int() }),
  image: z.string(),
  imagePullSecrets: z.array(z.string()),
  env: z.array(
    z.strictObject({
      name: z.string(),
      from: z.enum(['value', 'secret', 'config-map', 'field']),
      ref: z.string().nullable(),
    }),
  ),
  node: z.string().nullable(),
  registry: z.string().nullable(),
  deadlineSeconds: z.int().min(1),
})

export const planSchema: z.ZodType<AnyPlan> = z.discriminatedUnion('remedy', [
  plan.extend({
    remedy: z.literal('reap'),
    scope: z.strictObject({ sets: z.array(place), isStaleGeneration: z.boolean(), minAgeMs: z.number() }),
    objects: z.array(runner.extend({ arm: z.enum(['idle-leak', 'stale-generation']) })),
  }),
  plan.extend({
    remedy: z.literal('failed-runners'),
    scope: z.strictObject({ sets: z.array(place), known: z.array(z.string()) }),
    objects: z.array(runner),
  }),
  plan.extend({
    remedy: z.literal('listener-blocker'),
    scope: z.strictObject({ sets: z.array(place), known: z.array(z.string()) }),
    objects: z.array(runner),
  }),
  plan.extend({
    remedy: z.literal('handoff'),
    scope: z.strictObject({
      sets: z.array(place),
      repository: z.string().nullable(),
      minWaitMs: z.number(),
      withoutWorker: z.array(z.string()),
    }),
    objects: z.array(runner.extend({ next: z.strictObject({ repository: z.string(), jobId: z.int() }) })),
  }),
  plan.extend({
    remedy: z.literal('pull-secrets'),
    scope: z.strictObject({ sets: z.array(place) }),
    objects: z.array(
      z.discriminatedUnion('kind', [
        copy.extend({
          kind: z.literal('Secret'),
          isMissing: z.boolean(),
          targetHash: z.string().nullable(),
        }),
        copy.extend({ kind: z.literal('Pod') }),
      ]),
    ),
  }),
  plan.extend({
    remedy: z.literal('secret-drift'),
    scope: z.strictObject({ sets: z.array(place) }),
    objects: z.array(
      object.extend({
        kind: z.literal('Secret'),
        scaleSet: place,
        source: place.extend({ uid: z.string().min(1), resourceVersion: z.string().min(1) }),
        sourceHash: z.string(),
        targetHash: z.string().nullable(),
      }),
    ),
  }),
  plan.extend({
    remedy: z.literal('credentials'),
    scope: z.strictObject({
      scaleSet: place,
      appSecret: z.string().nullable(),
      listenerNamespace: z.string(),
    }),
    objects: z.array(
      object.extend({
        kind: z.literal('Secret'),
        isMissing: z.boolean(),
        scaleSet: place,
        forgeHost: z.string(),
        forgeScope: z.string(),
        source: place.extend({ uid: z.string().min(1), resourceVersion: z.string().min(1) }),
        sourceHash: z.string(),
        targetHash: z.string().nullable(),
      }),
    ),
  }),
  plan.extend({
    remedy: z.literal('gitlab-orphans'),
    scope: z.strictObject({ namespaces: z.array(z.string()), gitlab: z.string().nullable() }),
    objects: z.array(
      object.extend({
        kind: z.literal('Pod'),
        job: z.strictObject({ host: z.string(), projectId: z.int(), jobId: z.int() }).nullable(),
      }),
    ),
  }),
  plan.extend({
    remedy: z.literal('outdated'),
    scope: z.strictObject({ sets: z.array(place), renewed: z.array(z.string()) }),
    objects: z.array(object.extend({ kind: z.literal('AutoscalingRunnerSet') })),
  }),
  plan.extend({
    remedy: z.literal('stuck-finalizers'),
    scope: z.strictObject({ sets: z.array(place), minAgeMs: z.number() }),
    objects: z.array(runner),
  }),
  plan.extend({
    remedy: z.literal('retry-proof'),
    scope: z.strictObject({
      repository: z.string(),
      jobId: z.int(),
      declared: z.array(z.strictObject({ repository: z.string(), job: z.string() })),
      waitMs: z.number(),
    }),
    objects: z.array(
      object.extend({
        kind: z.literal('Job'),
        repository: z.string(),
        jobId: z.int(),
        runId: z.int(),
        jobName: z.string(),
        attempt: z.int(),
        headSha: z.string(),
      }),
    ),
  }),
  plan.extend({
    remedy: z.literal('gitlab-token'),
    scope: z.strictObject({ deployment: place, jobNamespaces: z.array(z.string()) }),
    objects: z.array(
      object.extend({
        kind: z.literal('Deployment'),
        secret: place.extend({ uid: z.string().min(1), resourceVersion: z.string().min(1) }),
        secretKey: z.string(),
        runnerId: z.int(),
        mark: z.string(),
        jobNamespaces: z.array(z.string()),
      }),
    ),
  }),
  plan.extend({
    remedy: z.literal('workdir-remediate'),
    scope: z.strictObject({ host: z.string(), folder: z.string() }),
    objects: z.array(
      object.extend({
        kind: z.literal('WorkFolder'),
        target: folderTarget,
        blocking: z.strictObject({ count: z.int().min(0), paths: z.array(z.string()) }),
        others: z.string(),
      }),
    ),
  }),
  plan.extend({
    remedy: z.enum(probeKinds.map((kind) => `probe-${kind}` as const)),
    scope: z.strictObject({
      set: place,
      node: z.string().nullable(),
      registry: z.string().nullable(),
      deadlineSeconds: z.int().min(1),
    }),
    objects: z.array(probe),
  }),
  plan.extend({
    remedy: z.literal('probe-clean'),
    scope: z.strictObject({ namespaces: z.array(z.string()), probeId: z.string().nullable() }),
    objects: z.array(object.extend({ kind: z.literal('Pod') })),
  }),
  hostPlan.extend({ remedy: z.enum(['host-drain', 'host-start']) }),
])
