import type { ContainerStatusFact, PodFact } from '../../../../domain/snapshot/index.ts'
import { isStarted, runnerProgramOf } from './runner-programs.ts'

/** A runner's pod that failed or ended, and the container of the runner in it. */
export interface EndedRunner {
  readonly pod: PodFact
  readonly container: string
}

const runnerContainer = 'runner'

/** Runners that failed, newest first, then those that ended without a failure; one that never started has no log. */
export function endedRunners(pods: readonly PodFact[]): readonly EndedRunner[] {
  return pods
    .flatMap((pod) => {
      const status = isRunner(pod) ? pod.statuses.find(({ name }) => name === runnerContainer) : undefined
      if (status === undefined || !isStarted(status)) return []
      const isFailed = pod.phase === 'Failed' || hasFailed(status)
      if (!isFailed && !hasEnded(pod, status)) return []
      return [{ pod, container: status.name, isFailed, at: lastEndOf(status) }]
    })
    .sort((a, b) => Number(b.isFailed) - Number(a.isFailed) || b.at - a.at)
}

/** By ARC's owner or labels, or the label of our pools. */
function isRunner(pod: PodFact): boolean {
  if (runnerProgramOf(pod) !== null) return false
  const { owner, labels } = pod
  if (owner?.kind === 'EphemeralRunner' || labels['holdfast.dev/pool'] !== undefined) return true
  return labels['app.kubernetes.io/component'] === 'runner' && 'actions.github.com/scale-set-name' in labels
}

function hasFailed({ state, lastState }: ContainerStatusFact): boolean {
  return [state, lastState].some((each) => each?.kind === 'terminated' && each.exitCode !== 0)
}

function hasEnded({ phase }: PodFact, { state }: ContainerStatusFact): boolean {
  return phase === 'Succeeded' || state?.kind === 'terminated'
}

function lastEndOf({ state, lastState }: ContainerStatusFact): number {
  return state?.finishedAt ?? lastState?.finishedAt ?? 0
}
