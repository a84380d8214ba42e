import type {
  ConditionFact,
  ContainerStateFact,
  ContainerStatusFact,
  EventFact,
  PodFact,
} from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { schedulerCauses } from '../scheduler-message.ts'
import type { PendingCause } from './classes.ts'

/** Longer than a volume, a sandbox or a scheduler takes where all is well; until then silence says nothing. */
const startGraceMs = 60_000
/** Longer than init containers of runners take, which copy files. */
const initSlowMs = 10 * 60_000
/** Longer than the largest image of a runner takes on a slow line. */
const pullSlowMs = 15 * 60_000

/** The kubelet's words for an image that it could not get. */
const pullReasons: ReadonlySet<string> = new Set([
  ...['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'],
  ...['ImageInspectError', 'RegistryUnavailable', 'SignatureValidationFailed'],
])
const configReasons: ReadonlySet<string> = new Set([
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
])
const byEvent: Readonly<Record<string, PendingCause>> = {
  FailedMount: 'volume-waiting',
  FailedAttachVolume: 'volume-waiting',
  FailedMapVolume: 'volume-waiting',
  FailedCreatePodSandBox: 'sandbox-waiting',
  FailedPodSandBoxStatus: 'sandbox-waiting',
  NetworkNotReady: 'sandbox-waiting',
}
/** Steps of the kubelet on the way to a start. */
const progress: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started'])

export interface PodCauses {
  readonly causes: readonly PendingCause[]
  readonly message: string
}

/**
 * Why a pod is Pending, in the guide's order: pulls, then the scheduler, then the node. Null: it is on its way. No cause
 * at all: it cannot be known without its events, which are null where they were not all read.
 */
export function causesOfPod(
  pod: PodFact,
  events: readonly EventFact[] | null,
  now: Instant,
): PodCauses | null {
  return (
    pullCause(pod) ??
    schedulerCause(pod) ??
    configCause(pod) ??
    (isOverdue(pod, now) ? nodeCause(pod, events, now) : null)
  )
}

/** Whether a container waits for an image that cannot be pulled. */
export function isPullBlocked(pod: PodFact): boolean {
  return pod.statuses.some(({ state }) => state?.kind === 'waiting' && pullReasons.has(state.reason ?? ''))
}

/** The scheduler's refusal of a pod; undefined where it has placed it, or has not looked at it. */
export function refusalOf({ node, conditions }: PodFact): ConditionFact | undefined {
  if (node !== null) return undefined
  return conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
}

function pullCause(pod: PodFact): PodCauses | null {
  return waitingFor(pod, pullReasons, 'image-pull-blocked')
}

function configCause(pod: PodFact): PodCauses | null {
  return waitingFor(pod, configReasons, 'config-error')
}

function waitingFor(
  { statuses }: PodFact,
  reasons: ReadonlySet<string>,
  cause: PendingCause,
): PodCauses | null {
  const found = statuses.find(({ state }) => state?.kind === 'waiting' && reasons.has(state.reason ?? ''))
  if (found === undefined) return null
  return {
    causes: [cause],
    message: `${found.name}: ${found.state?.reason}: ${found.state?.message ?? 'no more is said'}`,
  }
}

function schedulerCause(pod: PodFact): PodCauses | null {
  const refusal = refusalOf(pod)
  if (refusal === undefined) return null
  const message = refusal.message ?? `${refusal.reason ?? 'no reason'}: no more is said`
  if (refusal.reason === 'SchedulingGated') return { causes: ['scheduling-gated'], message }
  return { causes: schedulerCauses(message), message }
}

function isOverdue({ startedAt, createdAt }: PodFact, now: Instant): boolean {
  const since = startedAt ?? createdAt
  return since !== null && now - since >= startGraceMs
}

/** The cause on the node. Silence and the newest event both rest on events that were all read. */
function nodeCause(pod: PodFact, events: readonly EventFact[] | null, now: Instant): PodCauses | null {
  const init = pod.statuses.filter(({ name }) => isInit(pod, name))
  const stuck = init.find(({ state }) => isStuck(state, now))
  if (stuck !== undefined) return { causes: ['init-waiting'], message: initWords(stuck) }
  if (init.some(({ state }) => state?.kind === 'running')) return null
  if (events === null) return { causes: [], message: 'its events were not all read' }
  if (pod.node === null) return unexplained('no scheduler has said anything about it')
  const newest = newestOf(events)
  const cause = byEvent[newest?.reason ?? '']
  if (newest === undefined || cause === undefined) return silentNode(pod, newest, now)
  return { causes: [cause], message: `${newest.reason}: ${newest.message}` }
}

function silentNode({ node }: PodFact, newest: EventFact | undefined, now: Instant): PodCauses | null {
  if (newest === undefined) return unexplained(`placed on ${node}, which says nothing about it`)
  if (now - (newest.lastAt ?? now) < pullSlowMs) return null
  return unexplained(`placed on ${node}, which said ${newest.reason} long ago, and nothing since`)
}

function unexplained(message: string): PodCauses {
  return { causes: ['start-unexplained'], message }
}

/** The newest event that says how far a pod has come; of two at the same second, the one that says progress. */
function newestOf(events: readonly EventFact[]): EventFact | undefined {
  let newest: EventFact | undefined
  for (const event of events) {
    const isProgress = progress.has(event.reason)
    if (!isProgress && byEvent[event.reason] === undefined) continue
    const later = (event.lastAt ?? 0) - (newest?.lastAt ?? 0)
    if (newest === undefined || later > 0 || (later === 0 && isProgress)) newest = event
  }
  return newest
}

function isInit({ containers }: PodFact, name: string): boolean {
  return containers.some((container) => container.name === name && container.isInit && !container.isSidecar)
}

function isStuck(state: ContainerStateFact | null, now: Instant): boolean {
  if (state === null) return false
  if (state.kind === 'waiting') return state.reason === 'CrashLoopBackOff'
  if (state.kind === 'terminated') return state.exitCode !== 0
  return state.startedAt !== null && now - state.startedAt >= initSlowMs
}

function initWords({ name, state, restarts }: ContainerStatusFact): string {
  if (state?.kind === 'running') return `init container ${name} still runs`
  const how =
    state?.kind === 'terminated' ? `ended with exit code ${state.exitCode}` : `waits: ${state?.reason}`
  return `init container ${name} ${how}, ${restarts} restarts: ${state?.message ?? 'no more is said'}`
}
