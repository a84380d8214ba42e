import type { Trouble, TroubleKind } from '../../../domain/pool/index.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import { POLLER_CONTAINER } from './marks.ts'
import type { Condition, ContainerStatus, PodWarning, RunnerPod } from './objects.ts'
import { instantOf } from './times.ts'

/** Longer than a network or a volume takes on a healthy node; then its silence is worth a word. */
export const NODE_SILENT_AFTER_MS = 60_000
const MESSAGE_CHARS_MAX = 500

/** Why a container waits, in the kubelet's words, and what that is to a pool. The others are steps on the way. */
const waitingReasons: Readonly<Record<string, TroubleKind>> = {
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
export function troubleOf(
  pod: RunnerPod,
  warnings: readonly PodWarning[],
  now: Instant,
  nodeSilentAfterMs = NODE_SILENT_AFTER_MS,
): Trouble | null {
  const ofContainers = waitingTrouble(pod) ?? startTrouble(pod) ?? preparationTrouble(pod)
  const found = ofContainers ?? unplaced(pod) ?? sandboxTrouble(pod, warnings)
  return found ?? (isUnheeded(pod, now, nodeSilentAfterMs) ? unheeded(pod) : null)
}

/** When a pod that its node does nothing about becomes a trouble; null where that cannot happen to it any more. */
export function unheededAt(pod: RunnerPod, nodeSilentAfterMs = NODE_SILENT_AFTER_MS): Instant | null {
  const placedAt = placedAtOf(pod)
  return placedAt === null || !isUntouched(pod) ? null : placedAt + nodeSilentAfterMs
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
export function failedPreparation({ spec, status }: RunnerPod): ContainerStatus | undefined {
  const isBeside = (name: string) =>
    spec.initContainers.some((each) => each.name === name && each.restartPolicy === 'Always')
  return status.initContainerStatuses.find((each) => {
    const { exitCode = 0, reason } = each.state?.terminated ?? {}
    if (each.name === POLLER_CONTAINER || exitCode === 0 || isBeside(each.name)) return false
    return reason === 'OOMKilled' || !killedFromOutside.has(exitCode)
  })
}

/** Every container of a pod, in the order in which they start. */
export function statusesOf({ status }: RunnerPod): readonly ContainerStatus[] {
  return [...status.initContainerStatuses, ...status.containerStatuses]
}

function waitingTrouble(pod: RunnerPod): Trouble | null {
  for (const { name, state } of statusesOf(pod)) {
    const { reason = '', message } = state?.waiting ?? {}
    const kind = waitingReasons[reason]
    if (kind === undefined) continue
    // The kubelet does not say since when a container waits; it began no earlier than the pod came to its node.
    return trouble(kind, `${name}: ${reason}: ${message ?? 'no more is said'}`, sinceOf(pod))
  }
  return null
}

function startTrouble(pod: RunnerPod): Trouble | null {
  const failed = statusesOf(pod).find(neverRan)
  if (failed === undefined) return null
  const { reason, message, finishedAt } = failed.state?.terminated ?? {}
  const said = `${failed.name}: ${reason}: ${message ?? 'no more is said'}`
  return trouble('ConfigError', said, instantOf(finishedAt) ?? sinceOf(pod))
}

function preparationTrouble(pod: RunnerPod): Trouble | null {
  const failed = failedPreparation(pod)
  if (failed === undefined) return null
  const { exitCode, reason, message, finishedAt } = failed.state?.terminated ?? {}
  const said = message === undefined ? 'no more is said' : redactText(message.trim(), MESSAGE_CHARS_MAX)
  const how = `ended with ${exitCode}${reason === 'Error' || reason === undefined ? '' : ` (${reason})`}`
  return trouble('ConfigError', `${failed.name}: ${how}: ${said}`, instantOf(finishedAt) ?? sinceOf(pod))
}

function unplaced(pod: RunnerPod): Trouble | null {
  const placed = conditionOf(pod, 'PodScheduled')
  if (placed?.status !== 'False' || pod.spec.nodeName !== undefined) return null
  if (placed.reason !== 'Unschedulable') return null
  const since = instantOf(placed.lastTransitionTime) ?? sinceOf(pod)
  return trouble('NoHealthyNode', placed.message ?? 'no node takes it', since)
}

function sandboxTrouble(pod: RunnerPod, warnings: readonly PodWarning[]): Trouble | null {
  if (!isUntouched(pod)) return null
  const found = warnings.filter(({ reason }) => sandboxWarnings.has(reason))
  const [first] = found
  const last = found.at(-1)
  if (first === undefined || last === undefined) return null
  return trouble('SandboxFailed', `${last.reason}: ${last.message}`, instantOf(first.firstAt) ?? sinceOf(pod))
}

function isUnheeded(pod: RunnerPod, now: Instant, nodeSilentAfterMs: number): boolean {
  const at = unheededAt(pod, nodeSilentAfterMs)
  return at !== null && now >= at
}

function unheeded(pod: RunnerPod): Trouble {
  const said =
    pod.status.startTime === undefined
      ? 'its kubelet has said nothing about it'
      : 'its kubelet has taken it, has made no place for its containers, and does not say why'
  return trouble('NodeSilent', `placed on ${pod.spec.nodeName}; ${said}`, placedAtOf(pod) ?? sinceOf(pod))
}

/** Placed, neither ended nor leaving, and not so much as the place for its containers is made. */
function isUntouched(pod: RunnerPod): boolean {
  const { status, spec, metadata } = pod
  if (spec.nodeName === undefined || metadata.deletionTimestamp !== undefined) return false
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return false
  const statuses = statusesOf(pod)
  if (statuses.length === 0) return true
  const isBegun = ({ state, lastState }: ContainerStatus) =>
    state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined
  if (statuses.some(isBegun)) return false
  // Older kubelets do not have this condition: then a long pull cannot be told from silence, and is not called so.
  return conditionOf(pod, 'PodReadyToStartContainers')?.status === 'False'
}

function placedAtOf(pod: RunnerPod): Instant | null {
  if (pod.spec.nodeName === undefined) return null
  const placed = conditionOf(pod, 'PodScheduled')
  return instantOf(placed?.status === 'True' ? placed.lastTransitionTime : undefined) ?? sinceOf(pod)
}

function sinceOf({ status, metadata }: RunnerPod): Instant {
  return instantOf(status.startTime) ?? instantOf(metadata.creationTimestamp) ?? 0
}

function conditionOf({ status }: RunnerPod, type: string): Condition | undefined {
  return status.conditions.find((condition) => condition.type === type)
}

function trouble(kind: TroubleKind, message: string, since: Instant): Trouble {
  return { kind, message: message.slice(0, MESSAGE_CHARS_MAX), since }
}
