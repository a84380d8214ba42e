import type {
  ForgeJobFact,
  ForgeRunnerFact,
  ListenerFact,
  PodFact,
  QuotaFact,
  RunnerFact,
  RunnerJobFact,
  RunnerSetFact,
  ScaleSetFact,
  Snapshot,
} from '../../../snapshot/index.ts'
import {
  listed,
  listenerFact,
  minuteMs,
  podFact,
  readAt,
  runnerSetFact,
  scaleSetFact,
  snapshotOf,
  unread,
} from '../../../snapshot/testing/facts.ts'

export const hourMs = 60 * minuteMs

export interface FleetGiven {
  readonly set?: Partial<ScaleSetFact>
  /** Null: none. */
  readonly listener?: Partial<ListenerFact> | null
  readonly listenerPod?: Partial<PodFact> | null
  readonly generations?: readonly RunnerSetFact[]
  readonly runners?: readonly RunnerFact[]
  /** A healthy pod for each runner where they are not given. */
  readonly pods?: readonly PodFact[]
  readonly quotas?: readonly QuotaFact[]
  readonly log?: readonly string[]
  /** Null: nothing was asked. */
  readonly forge?: {
    readonly runners?: readonly ForgeRunnerFact[]
    readonly jobs?: readonly ForgeJobFact[]
  } | null
}

/** One set of ARC, healthy in all that a test does not name, and a forge that lists nothing. */
export function fleetOf(given: FleetGiven = {}): Snapshot {
  const { listener = {}, listenerPod = {}, runners = [], log = [], forge = {} } = given
  const pods = given.pods ?? runners.map(({ name }) => podFact(name))
  const listeners = listener === null ? [] : [listenerFact('linux', listener)]
  const listenerPods =
    listener === null || listenerPod === null
      ? []
      : [podFact('linux-listener', { namespace: 'arc-systems', ...listenerPod })]
  return snapshotOf({
    cluster: {
      scaleSets: listed([scaleSetFact('linux', given.set)]),
      listeners: listed(listeners),
      runnerSets: listed(given.generations ?? [runnerSetFact('linux', { replicas: runners.length })]),
      runners: listed(runners),
      pods: listed([...listenerPods, ...pods]),
      quotas: listed(given.quotas),
      logs: listed([
        {
          pod: { namespace: 'arc-systems', name: 'arc-controller' },
          container: 'manager',
          role: 'controller',
          lines: log,
          isCut: false,
        },
      ]),
    },
    forge:
      forge === null
        ? { runners: unread('runners'), jobs: unread('jobs') }
        : { runners: listed(forge.runners), jobs: listed(forge.jobs) },
  })
}

/** A line as ARC's controller writes it. */
export function line(sentence: string, kind: string, name: string, agoMs = minuteMs): string {
  const at = new Date(readAt - agoMs).toISOString()
  const namespace = kind === 'autoscalinglistener' ? 'arc-systems' : 'arc-runners'
  return `${at}\tINFO\tController\t${sentence}\t{"version": "0.14.2", "${kind}": {"name":"${name}","namespace":"${namespace}"}}`
}

/** A second generation of the set. */
export function nextGeneration(given: Partial<RunnerSetFact> = {}): RunnerSetFact {
  return runnerSetFact('linux', { name: 'linux-gen2', uid: 'uid-gen2', specHash: 'b2', ...given })
}

export const job: RunnerJobFact = {
  requestId: '18',
  id: null,
  name: 'test',
  repository: 'acme/web',
  workflowRef: null,
  runId: 31,
}
