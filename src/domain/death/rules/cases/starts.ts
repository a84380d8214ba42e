import { givenUpReason, type StartProblemKind } from '../../../pool/index.ts'
import { aPodEnd, aRunnerEnd, endedAt } from '../../testing.ts'
import { exit, killed, type RuleCase } from './case.ts'

const waiting = aRunnerEnd({ state: 'waiting', reason: 'ContainerCreating', exitCode: null })
const stuck = (kind: StartProblemKind, startedAt: number | null = null) => ({
  ending: {
    startedAt,
    stopRequestedBy: 'it did not start in time',
    pod: aPodEnd({
      trouble: { kind, message: 'in its words', since: endedAt - 60_000 },
      deletedAt: endedAt - 2000,
      containers: [startedAt === null ? waiting : aRunnerEnd({ exitCode: 143, startedAt })],
    }),
  },
})
const start = (rule: string, kind: StartProblemKind, as: RuleCase['class'], mayProve = false): RuleCase => ({
  rule,
  fires: stuck(kind),
  class: as,
  confidence: mayProve ? 'proven' : 'likely',
  not: stuck(kind, endedAt - 5000),
  otherwise: 'terminated',
  ...(mayProve && {
    impostor: {
      how: 'it had that problem, got over it and ran; Holdfast stopped it later',
      facts: stuck(kind, endedAt - 5000),
      class: 'terminated',
    },
  }),
})
const lateStart = (startedAt: number | null) => ({
  startedAt,
  stopRequestedBy: givenUpReason(null),
  pod: aPodEnd({
    deletedAt: endedAt - 2000,
    containers: [startedAt === null ? waiting : aRunnerEnd({ exitCode: 143, startedAt })],
  }),
})
const outOfSight = aRunnerEnd({ reason: 'ContainerStatusUnknown', exitCode: null })
/** Asked to go so long after its end. */
const asked = (afterMs: number) =>
  aPodEnd({
    deletedAt: endedAt + afterMs,
    containers: [aRunnerEnd({ exitCode: 137, startedAt: endedAt - 60_000, finishedAt: endedAt })],
  })
const idle = aPodEnd({
  deletedAt: endedAt - 2_000,
  containers: [
    aRunnerEnd({ name: 'poller', isInit: true, exitCode: 143, startedAt: endedAt - 60_000 }),
    waiting,
  ],
})
const poller = (exitCode: number) => ({
  ending: {
    startedAt: null,
    pod: aPodEnd({ containers: [aRunnerEnd({ name: 'poller', isInit: true, exitCode }), waiting] }),
  },
})

/** For tests: starts that failed, and ends that somebody asked for. */
export const startCases: readonly RuleCase[] = [
  start('its image could not be had', 'ImagePull', 'image-pull', true),
  start('its container could not be set up', 'ConfigError', 'config-error', true),
  start('the place for its containers could not be made', 'SandboxFailed', 'sandbox-failed'),
  start('something kept it from starting', 'NodeSilent', 'never-started'),
  {
    rule: 'given up before anything of it started',
    fires: { ending: lateStart(null) },
    class: 'never-started',
    confidence: 'proven',
    not: { ending: lateStart(endedAt - 5000) },
    otherwise: 'terminated',
    impostor: {
      how: 'it started behind a kubelet that had lost sight of it',
      facts: { ending: { ...lateStart(null), pod: aPodEnd({ containers: [outOfSight] }) } },
      class: 'never-started',
    },
  },
  {
    rule: 'we asked it to stop',
    fires: { ending: { startedAt: null, stopRequestedBy: 'the pool shrank', pod: idle } },
    class: 'terminated',
    confidence: 'proven',
    not: { ending: killed },
    otherwise: 'sigkill-unknown',
    impostor: {
      how: 'it was killed, and Holdfast asked it to stop just after that',
      facts: { ending: { ...exit(137), stopRequestedBy: 'the pool shrank', pod: asked(1_000) } },
      class: 'sigkill-unknown',
    },
  },
  {
    rule: 'somebody deleted its pod',
    fires: { ending: { ...exit(137), pod: aPodEnd({ deletedAt: endedAt - 2000 }) } },
    class: 'deleted',
    confidence: 'likely',
    not: { ending: { ...exit(137), pod: aPodEnd({ deletedAt: endedAt + 2000 }) } },
    otherwise: 'sigkill-unknown',
  },
]

/** For tests: no more is known than that it did not start. */
export const unstartedCases: readonly RuleCase[] = [
  {
    rule: 'its poller was told to leave',
    fires: poller(10),
    class: 'terminated',
    confidence: 'proven',
    not: poller(7),
    otherwise: 'never-started',
    impostor: {
      how: 'its runner ends with the code that the poller gives where it is asked to leave, and says so',
      facts: {
        ending: {
          ...exit(10),
          tail: 'poller: Holdfast wants this runner to leave',
          pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 10 })] }),
        },
      },
      class: 'terminated',
    },
  },
  {
    rule: 'never started',
    fires: poller(7),
    class: 'never-started',
    confidence: 'proven',
    not: {},
    otherwise: 'unknown',
    impostor: {
      how: 'that it started was not read',
      facts: { ending: { startedAt: null, pod: aPodEnd({ containers: [] }) } },
      class: 'never-started',
    },
  },
]
