import { type Ending, isPlaceholder } from '../../../../domain/death/index.ts'
import { parseQuantity } from '../../../../domain/quantity.ts'
import type { Instant } from '../../../../ports/clock.ts'
import { instantOf } from '../../client/index.ts'
import { runnerContainer } from '../objects/marks.ts'
import type { ContainerStatus, RunnerPod } from '../objects/objects.ts'
import { lastEndOf, leavingSinceOf } from '../status/runner-status.ts'
import { statusesOf } from '../status/start-problem.ts'
import { startOf, terminatedOf } from './container-end.ts'
import { disruptionOf, type EndContext, podEndOf } from './pod-end.ts'
import { signalNameOf } from './signals.ts'

export interface EndFacts extends EndContext {
  readonly pod: RunnerPod
  readonly stopRequestedBy: string | null
  /** When its object went, where it is gone. */
  readonly goneAt: Instant | null
  /** The output of the main container. */
  readonly tail: string
  /** The parts that could not be read, as text. */
  readonly missing: readonly string[]
  readonly now: Instant
}

/** How a runner ended, from the last that was seen of its pod. */
export function endingFrom({ pod, goneAt, ...facts }: EndFacts): Ending {
  const runner = pod.status.containerStatuses.find(({ name }) => name === runnerContainer)
  const ended = terminatedOf(runner)
  const isLost = ended !== undefined && isPlaceholder(ended)
  const spec = pod.spec.containers.find(({ name }) => name === runnerContainer)
  const startedAt = startOf(runner)
  return {
    exitCode: isLost ? null : (ended?.exitCode ?? null),
    signal: isLost ? null : signalNameOf(ended?.signal),
    startedAt,
    endedAt: endedAtOf(pod, runner) ?? goneAt ?? facts.silentSince ?? leavingSinceOf(pod) ?? facts.now,
    tail: facts.tail,
    oomKills: null, // the kubelet's word is in the container's reason
    memoryPeakBytes: null,
    memoryLimitBytes: parseQuantity(spec?.resources?.limits?.memory),
    samples: [],
    stopRequestedBy: facts.stopRequestedBy,
    pod: podEndOf(pod, { ...facts, startProblem: startedAt === null ? facts.startProblem : null }),
    missing: [...facts.missing, ...notSeen(pod, runner, facts.silentSince, goneAt)],
  }
}

function endedAtOf(pod: RunnerPod, runner: ContainerStatus | undefined): Instant | null {
  const own = instantOf(terminatedOf(runner)?.finishedAt)
  return own !== null && own > 0 ? own : lastEndOf(pod)
}

function notSeen(
  pod: RunnerPod,
  runner: ContainerStatus | undefined,
  silentSince: Instant | null,
  goneAt: Instant | null,
): string[] {
  if (silentSince !== null) return [`its end: its node ${pod.spec.nodeName} is silent`]
  if (isDeletedByPodGC(pod)) return [`its end: its node ${pod.spec.nodeName} is gone, and said nothing of it`]
  const ended = terminatedOf(runner)
  if (ended !== undefined && isPlaceholder(ended)) {
    const claimed = [ended.exitCode, ended.reason].filter((each) => each !== undefined).join(', ')
    return [
      `its exit code: the runtime did not find its container any more, and says ${claimed} in its place`,
      'when it ended: its node found it gone then',
    ]
  }
  const mayHaveRun = runner?.state?.running !== undefined
  return goneAt !== null && mayHaveRun ? ['its exit code: its pod was removed while it ran'] : []
}

/**
 * The cluster calls a pod failed whose node is gone, and leaves what its kubelet last said of its containers: that may
 * be older than what happened to them.
 */
function isDeletedByPodGC(pod: RunnerPod): boolean {
  const isOver = ({ state }: ContainerStatus) => state?.terminated !== undefined
  return disruptionOf(pod)?.reason === 'DeletionByPodGC' && !statusesOf(pod).every(isOver)
}
