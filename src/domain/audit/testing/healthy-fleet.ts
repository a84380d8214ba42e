import type {
  ForgeJobFact,
  NodeProbeFact,
  NodeSettingsFact,
  NodeUsageFact,
  PodFact,
  RunnerFact,
  ScaleSetFact,
  Snapshot,
} from '../../snapshot/index.ts'
import {
  containerFact,
  forgeJobFact,
  forgeRunnerFact,
  listed,
  listenerFact,
  minuteMs,
  nodeFact,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  scaleSetFact,
  secretFact,
  snapshotOf,
  templateFact,
  terminatedState,
} from '../../snapshot/testing/facts.ts'

export interface FleetSize {
  readonly sets: number
  readonly runnersPerSet: number
  readonly nodes: number
}

const gi = 2 ** 30

/** A fleet in which everything is in order, and busy: two of three runners work, some have just ended, jobs come and go. */
export function healthyFleet({ sets, runnersPerSet, nodes }: FleetSize): Snapshot {
  const scaleSets = Array.from({ length: sets }, (_, index) => healthySet(index, runnersPerSet))
  const runners = scaleSets.flatMap((set) =>
    Array.from({ length: runnersPerSet }, (_, index) => healthyRunner(set, index)),
  )
  const nodeNames = Array.from({ length: nodes }, (_, index) => `node-${index}`)
  const listeners = scaleSets.map(({ name }) => listenerFact(name, { maxRunners: 2 * runnersPerSet }))
  const slots = Math.ceil((1.5 * (runners.length + sets)) / nodes) + 5
  return snapshotOf({
    cluster: {
      scaleSets: listed(scaleSets),
      listeners: listed(listeners),
      runnerSets: listed(scaleSets.map(({ name }) => runnerSetFact(name, { replicas: runnersPerSet }))),
      runners: listed(runners),
      pods: listed([
        ...runners.map((runner, index) => healthyPod(runner, `node-${index % nodes}`)),
        ...listeners.map(({ name }) => podFact(name, { namespace: 'arc-systems', node: 'node-0' })),
      ]),
      nodes: listed(
        nodeNames.map((name) =>
          nodeFact(name, { allocatable: { ...nodeFact().allocatable, pods: slots + sets } }),
        ),
      ),
      nodeUsage: listed(nodeNames.map(healthyUsage)),
      nodeSettings: listed(nodeNames.map(settingsOf)),
      nodeProbes: listed(nodeNames.map(healthyProbe)),
      secrets: listed(['arc-runners', 'arc-systems'].map(credential)),
      quotas: listed([
        {
          ...objectFact('runners'),
          isScoped: false,
          hard: { pods: 2 * runners.length, services: 0 },
          used: { pods: runners.length, services: 0 },
        },
      ]),
    },
    forge: {
      runners: listed(runners.map(({ name, job }) => forgeRunnerFact(name, { isBusy: job !== null }))),
      jobs: listed(runners.flatMap(healthyJobs)),
    },
  })
}

const container = containerFact({
  requests: { cpu: 1, memory: 4 * gi, 'ephemeral-storage': 4 * gi },
  limits: { cpu: 2, memory: 8 * gi, 'ephemeral-storage': 16 * gi },
})

function healthySet(index: number, runnersPerSet: number): ScaleSetFact {
  return scaleSetFact(`set-${index}`, {
    runnerLabels: [`label-${index % 5}`],
    maxRunners: 2 * runnersPerSet,
    minRunners: runnersPerSet,
    template: templateFact({ containers: [container] }),
  })
}

function healthyRunner({ namespace, name, runnerLabels }: ScaleSetFact, index: number): RunnerFact {
  const repository = `acme/repo-${index % 7}`
  const workflowRef = `${repository}/.github/workflows/ci.yml@refs/heads/main`
  const job = {
    requestId: `${index}`,
    id: null,
    name: runnerLabels[0] ?? '',
    repository,
    workflowRef,
    runId: index,
  }
  return runnerFact(`${name}-runner-${index}`, {
    scaleSet: { namespace, name },
    job: index % 3 === 0 ? null : job,
  })
}

/** Every eleventh idle runner's pod has just begun; all others run. */
function healthyPod({ name, job }: RunnerFact, node: string): PodFact {
  const owner = { kind: 'EphemeralRunner', name, uid: `uid-arc-runners-${name}` }
  const running = podFact(name, { containers: [container], node, owner })
  if (job !== null || name.length % 11 !== 0) return running
  const lastState = terminatedState(0, 'Completed')
  return { ...running, statuses: running.statuses.map((status) => ({ ...status, restarts: 1, lastState })) }
}

/** The job that it works on, one that came before, and now and then one that came just now. */
function healthyJobs({ name, job }: RunnerFact, index: number): readonly ForgeJobFact[] {
  const repository = job?.repository ?? 'acme/repo-0'
  const labels = [`label-${Number(/^set-(\d+)/.exec(name)?.[1] ?? 0) % 5}`]
  const queuedAt = readAt - 50 * minuteMs
  const shared = { repository, labels, queuedAt, startedAt: queuedAt + 5_000 }
  const before = forgeJobFact(3 * index, {
    ...shared,
    ...{ status: 'completed', conclusion: 'success', completedAt: queuedAt + 20 * minuteMs },
  })
  const now = forgeJobFact(3 * index + 1, { ...shared, status: 'in_progress', runnerName: name })
  const next = forgeJobFact(3 * index + 2, { repository, labels, queuedAt: readAt - 3_000 })
  return [before, ...(job === null ? [] : [now]), ...(index % 10 === 0 ? [next] : [])]
}

function healthyUsage(node: string): NodeUsageFact {
  const disk = {
    ...{ availableBytes: 120 * gi, capacityBytes: 200 * gi, usedBytes: 80 * gi },
    ...{ inodesFree: 9_000_000, inodes: 10_000_000 },
  }
  const memory = { memoryAvailableBytes: 32 * gi, processesMax: 32_000, processes: 900 }
  return { node, at: readAt, nodefs: disk, imagefs: disk, ...memory, pods: [] }
}

function settingsOf(node: string): NodeSettingsFact {
  const evictionHard = { 'nodefs.available': '10%', 'imagefs.available': '15%', 'nodefs.inodesFree': '5%' }
  return { node, maxPods: 110, evictionHard, imageGcHighPercent: 85 }
}

function healthyProbe(node: string): NodeProbeFact {
  const fileTable = { allocated: 5_000, max: 1_000_000 }
  return { node, at: readAt, fileTable, openFilesMax: 1_048_576, workers: null }
}

function credential(namespace: string) {
  const keys = { github_app_id: 'a', github_app_installation_id: 'b', github_app_private_key: 'c' }
  return { ...secretFact('github-app', keys), namespace }
}
