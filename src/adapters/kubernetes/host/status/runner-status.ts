import type { Instant } from '../../../../ports/clock.ts'
import type { HostedRunner } from '../../../../ports/runner-host.ts'
import { instantOf } from '../../client/index.ts'
import { isProtectedPod, poolOf, runnerContainer, shapeOf, templateMarkOf } from '../objects/marks.ts'
import type { ContainerStatus, PodWarning, RunnerPod } from '../objects/objects.ts'
import { neverRan, startProblemOf, statusesOf } from './start-problem.ts'

export interface StatusInputs {
  /** Since when its node is silent; null where it is not, or where the pod has no node. */
  readonly silentSince: Instant | null
  readonly warnings: readonly PodWarning[]
  readonly now: Instant
  readonly nodeSilentAfterMs?: number | undefined
}

/** The runner that a pod's status shows. */
export function hostedRunnerOf(pod: RunnerPod, around: StatusInputs): HostedRunner {
  const state = stateOf(pod)
  const { warnings, now, nodeSilentAfterMs } = around
  const silentSince = state === 'exited' ? null : around.silentSince
  return {
    name: pod.metadata.name,
    pool: poolOf(pod),
    state,
    startedAt: startedAtOf(pod),
    program: programOf(pod, silentSince !== null),
    template: templateMarkOf(pod),
    node: pod.spec.nodeName ?? null,
    problem: startProblemOf(pod, warnings, now, nodeSilentAfterMs),
    leavingSince: leavingSinceOf(pod),
    silentSince,
    isProtected: isProtectedPod(pod),
    exitedAt: state === 'exited' ? exitedAtOf(pod) : null,
  }
}

/**
 * A pod has ended when its kubelet says so, or when it leaves and none of its containers can run any more: it was
 * never placed (nothing places a pod that leaves), or each of them has terminated. One that leaves, is placed, and
 * has not begun waits for the kubelet's word: it may be starting in this moment.
 */
export function stateOf(pod: RunnerPod): HostedRunner['state'] {
  const { metadata, spec, status } = pod
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return 'exited'
  if (metadata.deletionTimestamp === undefined) return 'running'
  if (spec.nodeName === undefined) return 'exited'
  const { initContainerStatuses, containerStatuses } = status
  const hasAll = containerStatuses.length === spec.containers.length && spec.containers.length > 0
  const isEnded = ({ state }: ContainerStatus) => state?.terminated !== undefined
  const isRunning = ({ state }: ContainerStatus) => state?.running !== undefined
  return hasAll && containerStatuses.every(isEnded) && !initContainerStatuses.some(isRunning)
    ? 'exited'
    : 'running'
}

/**
 * Whether the program that runs jobs has started (docs/incidents/live-runner-removed.md): in the isolated shape the
 * runner's container begins only after the poller has a job for it. In the single shape a container that began may be
 * doing either. Of a silent node only what it said before is known: that it had not begun then proves nothing now.
 */
export function programOf(pod: RunnerPod, isSilent: boolean): HostedRunner['program'] {
  const runner = pod.status.containerStatuses.find(({ name }) => name === runnerContainer)
  const hasBegun = runner !== undefined && hasStarted(runner)
  if (shapeOf(pod) === 'isolated' && hasBegun) return 'started'
  return hasBegun || isSilent ? 'unknown' : 'waiting'
}

export function leavingSinceOf({ metadata }: RunnerPod): Instant | null {
  const at = instantOf(metadata.deletionTimestamp)
  return at === null ? null : at - (metadata.deletionGracePeriodSeconds ?? 0) * 1_000
}

/** When the last of what ended in it did: a container, or where none ran, what was said of the pod. */
export function exitedAtOf(pod: RunnerPod): Instant | null {
  const turned = pod.status.conditions.map(({ lastTransitionTime }) => lastTransitionTime)
  return lastEndOf(pod) ?? leavingSinceOf(pod) ?? latestOf(turned)
}

/**
 * When the last container of a pod ended; null where none did, or nobody says when. A runner whose kubelet last said that
 * it runs outlived the poller: those ends are not its own.
 */
export function lastEndOf(pod: RunnerPod): Instant | null {
  const runner = pod.status.containerStatuses.find(({ name }) => name === runnerContainer)
  if (runner?.state?.running !== undefined) return instantOf(unreadySinceOf(pod))
  const finished = statusesOf(pod).flatMap(({ state, lastState }) => {
    const ended = state?.terminated ?? lastState?.terminated
    return ended === undefined ? [] : [ended.finishedAt]
  })
  const isDated = finished.every((time) => (instantOf(time) ?? 0) > 0)
  return latestOf(isDated ? finished : [...finished, unreadySinceOf(pod)])
}

/**
 * When a pod that had been ready was so no more. Of a container that it lost sight of the kubelet says no time: the
 * ends of those before it may be hours older. A pod that never was ready has that from its beginning, before its
 * containers were prepared.
 */
function unreadySinceOf({ status }: RunnerPod): string | null {
  const turned = (type: string, is: string) =>
    status.conditions.find((each) => each.type === type && each.status === is)?.lastTransitionTime ?? null
  const [prepared, unready] = [turned('Initialized', 'True'), turned('Ready', 'False')]
  const isLater = (instantOf(unready) ?? 0) >= (instantOf(prepared) ?? Number.POSITIVE_INFINITY)
  return isLater ? unready : null
}

function latestOf(times: readonly (string | null | undefined)[]): Instant | null {
  const at = Math.max(0, ...times.map((time) => instantOf(time) ?? 0))
  return at === 0 ? null : at
}

function hasStarted(status: ContainerStatus): boolean {
  const { started, state, lastState } = status
  if (neverRan(status) && lastState?.terminated === undefined) return false
  return (
    started === true ||
    state?.running !== undefined ||
    state?.terminated !== undefined ||
    lastState?.terminated !== undefined
  )
}

/** When the first of its containers began. */
function startedAtOf(pod: RunnerPod): Instant | null {
  const starts = statusesOf(pod).flatMap(({ state, lastState }) => {
    const at = [lastState?.terminated, state?.terminated, state?.running].map((each) =>
      instantOf(each?.startedAt),
    )
    return at.filter((each) => each !== null && each > 0) as Instant[]
  })
  return starts.length === 0 ? null : Math.min(...starts)
}
