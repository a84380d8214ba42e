import type { StartProblem, StartProblemKind } from '../../../../domain/pool/index.ts'
import { redactText } from '../../../../domain/redact/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import { instantOf } from '../../client/index.ts'
import { pollerContainer } from '../objects/marks.ts'
import type { Condition, ContainerStatus, PodWarning, RunnerPod } from '../objects/objects.ts'

/** Longer than a network or a volume takes on a healthy node; then its silence is worth a word. */
const defaultNodeSilentAfterMs = 60_000
const messageCharsMax = 500

/** Why a container waits, in the kubelet's words, and what that is to a pool. The others are steps on the way. */
const waitingReasons: Readonly<Record<string, StartProblemKind>> = {
  ErrImagePull: 'ImagePull',
  ImagePullBackOff: 'ImagePull',
  InvalidImageName: 'ImagePull',
  ErrImageNeverPull: 'ImagePull',
  ImageInspectError: 'ImagePull',
  RegistryUnavailable: 'ImagePull',
  SignatureValidationFailed: 'ImagePull',
  CreateContainerConfigError: 'ConfigError',
  CreateContainerError: 'ConfigError',
  RunContainerError: 'ConfigError',
  PreCreateHookError: 'ConfigError',
  PreStartHookError: 'ConfigError',
  PostStartHookError: 'ConfigError',
}

/** The kubelet's words for a container that ended because it could not be started. */
const startErrors: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun'])

/** By SIGKILL and SIGTERM. */
const killedFromOutside: ReadonlySet<number> = new Set([137, 143])

const sandboxWarnings: ReadonlySet<string> = new Set([
  ...['FailedCreatePodSandBox', 'FailedPodSandBoxStatus', 'FailedMount', 'FailedAttachVolume'],
  ...['FailedMapVolume', 'NetworkNotReady', 'FailedCreatePodContainer'],
])

/** Why a pod does not get going; null where it does, or where nothing is known against it. */
export function startProblemOf(
  pod: RunnerPod,
  warnings: readonly PodWarning[],
  now: Instant,
  nodeSilentAfterMs = defaultNodeSilentAfterMs,
): StartProblem | null {
  const ofContainers = waitingProblem(pod) ?? startErrorProblem(pod) ?? initProblem(pod)
  const found = ofContainers ?? unschedulableProblem(pod) ?? sandboxProblem(pod, warnings)
  return found ?? (isNodeSilent(pod, now, nodeSilentAfterMs) ? nodeSilentProblem(pod) : null)
}

/** When a pod that its node does nothing about becomes a trouble; null where that cannot happen to it any more. */
export function nodeSilentAt(pod: RunnerPod, nodeSilentAfterMs = defaultNodeSilentAfterMs): Instant | null {
  const placedAt = scheduledAtOf(pod)
  return placedAt === null || !isNotStartedByNode(pod) ? null : placedAt + nodeSilentAfterMs
}

/** Whether a container ended without its program having run. */
export function neverRan({ state = {} }: ContainerStatus): boolean {
  const { terminated } = state
  if (terminated === undefined || !startErrors.has(terminated.reason ?? '')) return false
  return (instantOf(terminated.startedAt) ?? 0) <= 0 // such a container has the beginning of time for a start
}

/**
 * The container before the poller that ended badly, after which nothing of the pod can start: the check, which says
 * what is wrong with the runner, or one of the template. One that was killed without having asked for too much memory
 * was ended from outside.
 */
export function failedInitContainer({ spec, status }: RunnerPod): ContainerStatus | undefined {
  const isSidecar = (name: string) =>
    spec.initContainers.some((each) => each.name === name && each.restartPolicy === 'Always')
  return status.initContainerStatuses.find((each) => {
    const { exitCode = 0, reason } = each.state?.terminated ?? {}
    if (each.name === pollerContainer || exitCode === 0 || isSidecar(each.name)) return false
    return reason === 'OOMKilled' || !killedFromOutside.has(exitCode)
  })
}

/** Every container of a pod, in the order in which they start. */
export function statusesOf({ status }: RunnerPod): readonly ContainerStatus[] {
  return [...status.initContainerStatuses, ...status.containerStatuses]
}

function waitingProblem(pod: RunnerPod): StartProblem | null {
  for (const { name, state } of statusesOf(pod)) {
    const { reason = '', message } = state?.waiting ?? {}
    const kind = waitingReasons[reason]
    if (kind === undefined) continue
    // The kubelet does not say since when a container waits; it began no earlier than the pod came to its node.
    return problem(kind, `${name}: ${reason}: ${message ?? 'no more is said'}`, podSince(pod))
  }
  return null
}

function startErrorProblem(pod: RunnerPod): StartProblem | null {
  const failed = statusesOf(pod).find(neverRan)
  if (failed === undefined) return null
  const { reason, message, finishedAt } = failed.state?.terminated ?? {}
  const detail = `${failed.name}: ${reason}: ${message ?? 'no more is said'}`
  return problem('ConfigError', detail, instantOf(finishedAt) ?? podSince(pod))
}

function initProblem(pod: RunnerPod): StartProblem | null {
  const failed = failedInitContainer(pod)
  if (failed === undefined) return null
  const { exitCode, reason, message, finishedAt } = failed.state?.terminated ?? {}
  const detail = message === undefined ? 'no more is said' : redactText(message.trim(), messageCharsMax)
  const how = `ended with ${exitCode}${reason === 'Error' || reason === undefined ? '' : ` (${reason})`}`
  return problem('ConfigError', `${failed.name}: ${how}: ${detail}`, instantOf(finishedAt) ?? podSince(pod))
}

function unschedulableProblem(pod: RunnerPod): StartProblem | null {
  const placed = conditionOf(pod, 'PodScheduled')
  if (placed?.status !== 'False' || pod.spec.nodeName !== undefined) return null
  if (placed.reason !== 'Unschedulable') return null
  const since = instantOf(placed.lastTransitionTime) ?? podSince(pod)
  return problem('NoHealthyNode', placed.message ?? 'no node takes it', since)
}

function sandboxProblem(pod: RunnerPod, warnings: readonly PodWarning[]): StartProblem | null {
  if (!isNotStartedByNode(pod)) return null
  const found = warnings.filter(({ reason }) => sandboxWarnings.has(reason))
  const [first] = found
  const last = found.at(-1)
  if (first === undefined || last === undefined) return null
  return problem(
    'SandboxFailed',
    `${last.reason}: ${last.message}`,
    instantOf(first.firstAt) ?? podSince(pod),
  )
}

function isNodeSilent(pod: RunnerPod, now: Instant, nodeSilentAfterMs: number): boolean {
  const at = nodeSilentAt(pod, nodeSilentAfterMs)
  return at !== null && now >= at
}

function nodeSilentProblem(pod: RunnerPod): StartProblem {
  const detail =
    pod.status.startTime === undefined
      ? 'its kubelet has said nothing about it'
      : 'its kubelet has taken it, has made no place for its containers, and does not say why'
  return problem(
    'NodeSilent',
    `placed on ${pod.spec.nodeName}; ${detail}`,
    scheduledAtOf(pod) ?? podSince(pod),
  )
}

/** Placed, neither ended nor leaving, and not so much as the place for its containers is made. */
function isNotStartedByNode(pod: RunnerPod): boolean {
  const { status, spec, metadata } = pod
  if (spec.nodeName === undefined || metadata.deletionTimestamp !== undefined) return false
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return false
  const statuses = statusesOf(pod)
  if (statuses.length === 0) return true
  const isBegun = ({ state, lastState }: ContainerStatus) =>
    state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined
  if (statuses.some(isBegun)) return false
  // Older kubelets do not have this condition: then a long pull looks like silence, and is not called so.
  return conditionOf(pod, 'PodReadyToStartContainers')?.status === 'False'
}

function scheduledAtOf(pod: RunnerPod): Instant | null {
  if (pod.spec.nodeName === undefined) return null
  const placed = conditionOf(pod, 'PodScheduled')
  return instantOf(placed?.status === 'True' ? placed.lastTransitionTime : undefined) ?? podSince(pod)
}

function podSince({ status, metadata }: RunnerPod): Instant {
  return instantOf(status.startTime) ?? instantOf(metadata.creationTimestamp) ?? 0
}

function conditionOf({ status }: RunnerPod, type: string): Condition | undefined {
  return status.conditions.find((condition) => condition.type === type)
}

function problem(kind: StartProblemKind, message: string, since: Instant): StartProblem {
  return { kind, message: message.slice(0, messageCharsMax), since }
}
