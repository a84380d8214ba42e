import fc from 'fast-check'
import type { RunnerJobFact } from '../../../src/domain/snapshot/index.ts'
import {
  containerFact,
  listenerFact,
  runnerFact,
  runnerSetFact,
  scaleSetFact,
  templateFact,
} from '../../../src/domain/snapshot/testing/facts.ts'
import { deletedAt, mostly, past, runnerNames, setNames, setOf, someOf } from './choose.ts'

const oldImage = 'ghcr.io/actions/actions-runner:2.319.0'
const newImage = 'ghcr.io/actions/actions-runner:2.331.0'
const image = mostly(newImage, oldImage, 'ghcr.io/acme/actions-runner-nix:latest')
const gib = 2 ** 30

const job: RunnerJobFact = {
  requestId: '18',
  id: 'a-1',
  name: 'test',
  repository: 'acme/web',
  workflowRef: 'acme/web/.github/workflows/ci.yaml@refs/heads/main',
  runId: 31,
}

const template = fc.record({ image, memory: mostly(8, 1, 64), claim: fc.boolean() }).map((given) =>
  templateFact({
    containers: [
      containerFact({
        image: given.image,
        requests: { memory: given.memory * gib, cpu: 1 },
        limits: { memory: given.memory * gib },
        env: [
          { name: 'ATTIC_SERVER', value: 'http://nix-cache.nix-cache.svc:8080', from: 'value', ref: null },
          { name: 'ATTIC_CACHE', value: 'main', from: 'value', ref: null },
          { name: 'ATTIC_TOKEN', value: null, from: 'secret', ref: 'attic' },
        ],
      }),
    ],
    imagePullSecrets: ['ghcr-pull'],
    volumes: given.claim
      ? [
          {
            name: 'work',
            kind: 'ephemeral-claim',
            claim: null,
            storageClass: 'fast',
            sizeBytes: 10 * gib,
            mountPaths: ['/home/runner/_work'],
          },
        ]
      : [],
  }),
)

/** ARC's four kinds. */
export const arcFacts = {
  scaleSets: someOf(setNames, (name) =>
    fc
      .record({
        version: mostly('0.14.2', '0.12.1', null),
        runnerLabels: mostly([name], [name, 'shared'], ['shared']),
        minRunners: mostly(0, 1, 2),
        maxRunners: mostly(10, 1, 2, null),
        template,
        forgeScaleSetId: mostly<string | null>('7', null),
        phase: mostly<string | null>('Running', 'Pending', 'Outdated', null),
        specHash: mostly('a1', 'b2'),
        isSingleSetLayout: fc.boolean(),
        createdAt: past,
        deletedAt,
      })
      .map((given) => scaleSetFact(name, given)),
  ),
  listeners: someOf(setNames, (name) =>
    fc
      .record({ createdAt: past, deletedAt, maxRunners: mostly<number | null>(10, 1, null) })
      .map((given) => listenerFact(name, { ...given, imagePullSecrets: ['ghcr-pull'] })),
  ),
  runnerSets: someOf(
    setNames.flatMap((name) => [`${name}-gen1`, `${name}-gen2`]),
    (name) =>
      fc
        .record({
          replicas: mostly(0, 1, 3),
          patchId: mostly(0, 4),
          phase: mostly<string | null>('Running', 'Outdated', null),
          specHash: mostly<string | null>('a1', 'b2', null),
          images: image.map((runner) => ({ runner })),
          createdAt: past,
          deletedAt,
        })
        .map((given) => {
          const set = name.replace(/-gen\d$/, '')
          return runnerSetFact(set, { ...given, name, uid: `uid-arc-runners-${name}` })
        }),
  ),
  runners: someOf(runnerNames, (name) =>
    fc
      .record({
        generation: mostly('gen1', 'gen2'),
        state: mostly(
          { phase: 'Running', isReady: true, reason: null, message: null },
          { phase: 'Running', isReady: false, reason: null, message: null },
          { phase: null, isReady: false, reason: null, message: null },
          { phase: 'Pending', isReady: false, reason: null, message: null },
          { phase: 'Outdated', isReady: false, reason: 'Outdated', message: 'Runner is deprecated' },
          {
            phase: 'Failed',
            isReady: false,
            reason: 'InvalidPod',
            message:
              'Failed to create the pod: pods "x" is forbidden: exceeded quota: runners, requested: pods=1',
          },
        ),
        job: mostly<RunnerJobFact | null>(null, job, { ...job, repository: 'acme/api', runId: 32 }),
        failures: mostly(0, 3, 5),
        forgeRunnerId: mostly<number | null>(100, null),
        specHash: mostly('a1', 'b2'),
        image,
        createdAt: past,
        deletedAt,
      })
      .map(({ generation, state, failures, image: runner, ...given }) =>
        runnerFact(name, {
          ...given,
          ...state,
          scaleSet: { namespace: 'arc-runners', name: setOf(name) },
          runnerSet: {
            name: `${setOf(name)}-${generation}`,
            uid: `uid-arc-runners-${setOf(name)}-${generation}`,
          },
          images: { runner },
          finalizers:
            given.deletedAt === null
              ? []
              : ['ephemeralrunner.actions.github.com/runner-registration-finalizer'],
          failures: Array.from({ length: failures }, (_, index) => ({
            podUid: `p${index}`,
            at: given.createdAt,
          })),
        }),
      ),
  ),
}
