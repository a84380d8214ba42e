import type { ContainerEnd, Ending, PodEnd } from './ending.ts'
import type { HostSample, HostSamples } from './host-samples.ts'
import type { DeathRecord, JobAtEnd } from './record.ts'

const noLimits = { memoryBytes: null, cpuMillis: null, ephemeralStorageBytes: null }

/** For tests: a pod that ended in order. */
export function aPodEnd(over: Partial<PodEnd> = {}): PodEnd {
  return {
    place: { namespace: 'ci', pod: 'linux-00000001', uid: 'uid-1', node: 'node-1' },
    phase: 'Failed',
    reason: null,
    message: null,
    disruption: null,
    trouble: null,
    deletedAt: null,
    conditions: [],
    events: [],
    nodeAtEnd: null,
    containers: [aRunnerEnd()],
    ...over,
  }
}

/** For tests: the end of the container that runs the job. */
export function aRunnerEnd(over: Partial<ContainerEnd> = {}): ContainerEnd {
  return {
    name: 'runner',
    isInit: false,
    image: 'runner:1',
    state: 'terminated',
    reason: 'Error',
    message: null,
    exitCode: 1,
    signal: null,
    startedAt: null,
    finishedAt: null,
    restarts: 0,
    imageDigest: null,
    limits: noLimits,
    earlier: null,
    tail: '',
    ...over,
  } as ContainerEnd
}

/** For tests: a record of a clean end. */
export function aDeathRecord(over: Partial<DeathRecord> = {}): DeathRecord {
  return {
    outcome: 'complete',
    class: 'clean',
    rule: 'a test',
    confidence: 'proven',
    because: [],
    ruledOut: [],
    unknown: [],
    nextSteps: [],
    ending: null,
    job: null,
    ring: null,
    ...over,
  }
}

/** For tests: the time of every end. */
export const endedAt = 1_700_000_000_000

/** For tests: a runner that started, without any evidence of its end. */
export function anEnd(over: Partial<Ending> = {}): Ending {
  return {
    exitCode: null,
    signal: null,
    startedAt: endedAt - 600_000,
    endedAt,
    tail: '',
    oomKills: null,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: null,
    pod: null,
    missing: [],
    ...over,
  }
}

/** For tests: its job, with a job event just before the end. */
export function aJobAtEnd(over: Partial<JobAtEnd> = {}): JobAtEnd {
  return {
    jobId: 1,
    forgeJobId: 1,
    repository: 'acme/web',
    attemptId: 1,
    attemptState: 'running',
    startedAt: endedAt - 500_000,
    forgeStatus: 'in_progress',
    conclusion: null,
    heardAt: endedAt - 1000,
    ...over,
  }
}

const gib = 2 ** 30

/** For tests: samples of an idle runner, one each second for two minutes, the last after its end. */
export function aHostSamples(over: Partial<HostSamples> = {}, sample: Partial<HostSample> = {}): HostSamples {
  const samples = Array.from({ length: 120 }, (_, index) =>
    aHostSample({ at: endedAt - (118 - index) * 1000, ...sample }),
  )
  return {
    podUid: 'uid-1',
    node: 'node-1',
    samples,
    oomLines: [],
    missing: [],
    endedAt: endedAt + 1_300,
    lastSampleAgeMs: 300,
    ...over,
  }
}

/** For tests: one sample of an idle runner. */
export function aHostSample(over: Partial<HostSample> = {}): HostSample {
  return {
    at: endedAt,
    memoryBytes: gib,
    memoryLimitBytes: 8 * gib,
    oomKills: 0,
    cpuMs: 1,
    throttledMs: 0,
    processes: 20,
    memoryPressure: 0,
    cpuPressure: 5,
    ioPressure: 0,
    nodeMemoryFreeBytes: 8 * gib,
    nodeFilesOpen: 5_000,
    nodeFilesMax: 100_000,
    nodeDiskFreeBytes: 50 * gib,
    nodeInodesFree: 1_000_000,
    nodeConntrack: 100,
    nodeConntrackMax: 100_000,
    processesMax: 4_096,
    forksRefused: 0,
    ...over,
  }
}
