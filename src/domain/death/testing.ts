import type { ContainerEnd, PodEnd } from './ending.ts'
import type { DeathRecord } from './record.ts'

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
    ...{ name: 'runner', isInit: false, image: 'runner:1', state: 'terminated', reason: 'Error' },
    ...{ message: null, exitCode: 1, signal: null, startedAt: null, finishedAt: null, restarts: 0 },
    ...{ imageDigest: null, limits: noLimits, earlier: null, tail: '' },
    ...over,
  } as ContainerEnd
}

/** For tests: a record that says little. */
export function aDeathRecord(over: Partial<DeathRecord> = {}): DeathRecord {
  return {
    ...{ outcome: 'complete', class: 'clean', rule: 'a test', confidence: 'proven', because: [] },
    ...{ ruledOut: [], unknown: [], nextSteps: [], ending: null, job: null, ring: null },
    ...over,
  }
}
