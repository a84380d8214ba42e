import type {
  ForgeJobFact,
  NodeFact,
  PodFact,
  RunnerFact,
  ScaleSetFact,
  Snapshot,
} from '../../src/domain/snapshot/index.ts'
import {
  containerFact,
  forgeJobFact,
  forgeRunnerFact,
  listed,
  listenerFact,
  minuteMs,
  nodeFact,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  scaleSetFact,
  snapshotOf,
  templateFact,
  waitingState,
} from '../../src/domain/snapshot/testing/facts.ts'

export interface FleetSize {
  readonly pods: number
  readonly sets: number
  readonly nodes: number
  /** Runners that each set declares at most; unset: a few more than it has. */
  readonly maxRunners?: number
}

const gi = 2 ** 30
const zones = 10
/** Every so many-th pod waits for its image, and every so many-th waits for a node. */
const pullBlockedEvery = 97
const unscheduledEvery = 53

/** A fleet of this size as a snapshot: mostly healthy and busy, with pods that wait for images and for nodes. */
export function fleetSnapshot({ pods, sets, nodes, maxRunners }: FleetSize): Snapshot {
  const scaleSets = Array.from({ length: sets }, (_, index) =>
    setOf(index, maxRunners ?? Math.ceil(pods / sets) + 5),
  )
  const runners = Array.from({ length: pods }, (_, index) =>
    runnerOf(index, scaleSets[index % sets] as ScaleSetFact),
  )
  const listeners = scaleSets.map(({ name }) => listenerFact(name))
  return snapshotOf({
    cluster: {
      scaleSets: listed(scaleSets),
      runners: listed(runners),
      pods: listed([
        ...runners.map((runner, index) =>
          podOf(runner, index, nodes, scaleSets[index % sets] as ScaleSetFact),
        ),
        ...listeners.map(({ name }) => podFact(name, { namespace: 'arc-systems', node: 'node-0' })),
      ]),
      nodes: listed(Array.from({ length: nodes }, (_, index) => nodeOf(index))),
      listeners: listed(listeners),
      runnerSets: listed(
        scaleSets.map(({ name }) => runnerSetFact(name, { replicas: Math.ceil(pods / sets) })),
      ),
    },
    forge: {
      runners: listed(runners.map(({ name, job }) => forgeRunnerFact(name, { isBusy: job !== null }))),
      jobs: listed(runners.flatMap(jobOf)),
    },
  })
}

function setOf(index: number, maxRunners: number): ScaleSetFact {
  const container = containerFact({
    requests: { cpu: 0.5 + (index % 4) * 0.5, memory: (1 + (index % 5)) * gi, 'ephemeral-storage': 4 * gi },
    limits: { cpu: 4, memory: 8 * gi, 'ephemeral-storage': 16 * gi },
  })
  return scaleSetFact(`set-${index}`, {
    maxRunners,
    runnerLabels: [`label-${index % 50}`],
    template: templateFact({ containers: [container], nodeSelector: { zone: `${index % zones}` } }),
  })
}

function runnerOf(index: number, set: ScaleSetFact): RunnerFact {
  const scaleSet = { namespace: set.namespace, name: set.name }
  const isBusy = index % 3 !== 0
  const job = {
    requestId: `${index}`,
    id: null,
    name: 'test',
    repository: `acme/repo-${index % 40}`,
    workflowRef: null,
    runId: index,
  }
  return runnerFact(`runner-${index}`, { scaleSet, job: isBusy ? job : null })
}

function podOf({ name }: RunnerFact, index: number, nodes: number, set: ScaleSetFact): PodFact {
  const { containers, nodeSelector } = set.template
  const given = { containers, nodeSelector, node: `node-${index % nodes}` }
  if (index % pullBlockedEvery === 1) {
    const status = podFact(name, given).statuses[0] as PodFact['statuses'][number]
    return podFact(name, {
      ...given,
      phase: 'Pending',
      statuses: [{ ...status, isReady: false, state: waitingState('ImagePullBackOff', '401 Unauthorized') }],
    })
  }
  if (index % unscheduledEvery === 2) {
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/500 nodes are available: 500 Insufficient memory.',
      at: readAt - minuteMs,
    }
    return podFact(name, { ...given, node: null, phase: 'Pending', statuses: [], conditions: [condition] })
  }
  return podFact(name, given)
}

function nodeOf(index: number): NodeFact {
  return nodeFact(`node-${index}`, {
    labels: { zone: `${index % zones}` },
    allocatable: {
      cpu: 32 + (index % 3) * 16,
      memory: (64 + (index % 4) * 32) * gi,
      'ephemeral-storage': 400 * gi,
      pods: 110,
    },
  })
}

function jobOf({ name, job }: RunnerFact, index: number): ForgeJobFact[] {
  const repository = `acme/repo-${index % 40}`
  if (job !== null)
    return [
      forgeJobFact(index, {
        repository,
        status: 'in_progress',
        runnerName: name,
        startedAt: readAt - 5 * minuteMs,
      }),
    ]
  return index % 5 === 0 ? [forgeJobFact(index, { repository, labels: [`label-${index % 50}`] })] : []
}
