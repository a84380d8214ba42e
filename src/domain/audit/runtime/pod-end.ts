import type { ContainerStateFact, PodFact, RunnerFact } from '../../snapshot/index.ts'
import { keyOf } from '../joins.ts'
import { arePodsKnown } from './pods-known.ts'
import type { FleetView } from './view.ts'

/** The pod of a runner. `gone`: the list is whole and lacks it. `unknown`: the list is not whole. */
export type PodStanding = 'alive' | 'ended' | 'failed' | 'gone' | 'unknown'

export function podOf(runner: RunnerFact, { joins }: FleetView): PodFact | undefined {
  return joins.podByKey.get(keyOf(runner))
}

/** A runner's phase outlives its pod: only the pod says whether anything runs. */
export function podStanding(runner: RunnerFact, fleet: FleetView): PodStanding {
  const pod = podOf(runner, fleet)
  if (pod === undefined) return arePodsKnown(fleet.snapshot, runner.namespace) ? 'gone' : 'unknown'
  const end = runnerEnd(pod)
  if (pod.phase === 'Failed' || (end !== null && end.exitCode !== 0)) return 'failed'
  return pod.phase === 'Succeeded' || end !== null ? 'ended' : 'alive'
}

/** The end of the runner's own container. */
export function runnerEnd({ statuses }: PodFact): ContainerStateFact | null {
  const state = statuses.find(({ name }) => name === 'runner')?.state
  return state?.kind === 'terminated' ? state : null
}
