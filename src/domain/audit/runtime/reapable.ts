import type { RunnerFact } from '../../snapshot/index.ts'
import type { NextAction } from '../finding.ts'
import { idleMinAgeMs } from './bounds.ts'
import { person, read, removable } from './found.ts'
import { forgeRunnerOf } from './occupation.ts'
import { podOf, podStanding } from './pod-end.ts'
import { ageMs, type FleetView } from './view.ts'

/** The act on runners that the forge calls free: the reaper's where it would take one of them. */
export function reaping(text: string, free: readonly RunnerFact[], fleet: FleetView): NextAction {
  const old = free.filter((runner) => ageMs(runner, fleet.now) >= idleMinAgeMs)
  if (old.length === 0)
    return read('Look again: the reaper takes no runner younger than an hour.', 'holdfast audit runtime')
  return old.some((runner) => isReapable(runner, fleet)) ? removable(text) : person(lookFirst)
}

const lookFirst =
  'Look into their pods first: a container that has started, with a runner that the forge does not see online, may be a job that lost its connection. The reaper leaves it alone.'

/** Whether the reaper's look at pod and forge would let a free runner go, as far as a snapshot shows. */
export function isReapable(runner: RunnerFact, fleet: FleetView): boolean {
  const pod = podOf(runner, fleet)
  if (pod === undefined) return podStanding(runner, fleet) === 'gone'
  const status = pod.statuses.find(({ name }) => name === 'runner')
  if (status?.state?.kind === 'terminated' || status?.lastState?.kind === 'terminated') return false
  const hasStarted = status?.state?.kind === 'running'
  return !hasStarted || forgeRunnerOf(runner, fleet)?.isOnline === true
}
