import type { ContainerEnd, PodEnd } from './record.ts'

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
    containers: [aRunnerEnd()],
    ...over,
  }
}

/** For tests: the end of the container that runs the job. */
export function aRunnerEnd(over: Partial<ContainerEnd> = {}): ContainerEnd {
  return {
    ...{ name: 'runner', isInit: false, image: 'runner:1', state: 'terminated', reason: 'Error' },
    ...{ message: null, exitCode: 1, signal: null, startedAt: null, finishedAt: null, restarts: 0 },
    ...over,
  } as ContainerEnd
}
