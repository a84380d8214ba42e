import { givenUpReason, type TroubleKind } from '../../../pool/index.ts'
import { aPodEnd, aRunnerEnd, endedAt } from '../../testing.ts'
import { exit, killed, type RuleCase } from './case.ts'

const waiting = aRunnerEnd({ state: 'waiting', reason: null, exitCode: null })
const stuck = (kind: TroubleKind, startedAt: number | null = null) => ({
  ending: {
    startedAt,
    stopRequestedBy: 'it did not start in time',
    pod: aPodEnd({
      trouble: { kind, message: 'in its words', since: endedAt - 60_000 },
      deletedAt: endedAt - 2000,
      containers: [waiting],
    }),
  },
})
const start = (rule: string, kind: TroubleKind, as: RuleCase['class']): RuleCase => ({
  rule,
  fires: stuck(kind),
  ...{ class: as, confidence: kind === 'NodeSilent' ? 'likely' : 'proven' },
  not: stuck(kind, endedAt - 5000),
  otherwise: 'terminated',
})
const lateStart = (startedAt: number | null) => ({
  startedAt,
  stopRequestedBy: givenUpReason(null),
  pod: aPodEnd({ deletedAt: endedAt - 2000, containers: [{ ...waiting, startedAt }] }),
})
const poller = (exitCode: number) => ({
  ending: {
    startedAt: null,
    pod: aPodEnd({ containers: [aRunnerEnd({ name: 'poller', isInit: true, exitCode }), waiting] }),
  },
})

/** For tests: starts that failed, and ends that somebody asked for. */
export const startCases: readonly RuleCase[] = [
  start('its image could not be had', 'ImagePull', 'image-pull'),
  start('its container could not be set up', 'ConfigError', 'config-error'),
  start('the place for its containers could not be made', 'SandboxFailed', 'sandbox-failed'),
  start('something kept it from starting', 'NodeSilent', 'never-started'),
  {
    rule: 'given up before anything of it started',
    fires: { ending: lateStart(null) },
    ...{ class: 'never-started', confidence: 'proven' },
    not: { ending: lateStart(endedAt - 5000) },
    otherwise: 'terminated',
  },
  {
    rule: 'we asked it to stop',
    fires: { ending: { ...killed, stopRequestedBy: 'the pool shrank' } },
    ...{ class: 'terminated', confidence: 'proven' },
    not: { ending: killed },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'somebody deleted its pod',
    fires: { ending: { ...exit(137), pod: aPodEnd({ deletedAt: endedAt - 2000 }) } },
    ...{ class: 'deleted', confidence: 'likely' },
    not: { ending: { ...exit(137), pod: aPodEnd({ deletedAt: endedAt + 2000 }) } },
    otherwise: 'sigkill-unknown',
  },
]

/** For tests: no more is known than that it did not start. */
export const unstartedCases: readonly RuleCase[] = [
  {
    rule: 'its poller was told to leave',
    fires: poller(10),
    ...{ class: 'terminated', confidence: 'proven' },
    not: poller(7),
    otherwise: 'never-started',
  },
  {
    rule: 'never started',
    fires: { ending: { startedAt: null } },
    ...{ class: 'never-started', confidence: 'proven' },
    not: {},
    otherwise: 'unknown',
  },
]
