import type { ContainerEnd, Ending, PodEnd } from '../../../domain/death/index.ts'
import type { Trouble } from '../../../domain/pool/index.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import { RUNNER_CONTAINER } from './marks.ts'
import type { ContainerSpec, ContainerStatus, RunnerPod } from './objects.ts'
import { quantityOf } from './quantity.ts'
import { leavingSinceOf } from './read-pod.ts'
import { signalNameOf } from './signals.ts'
import { instantOf } from './times.ts'
import { statusesOf } from './trouble.ts'

/** What the kubelet writes over a container of which it knows nothing any more; its exit code is made up. */
const LOST_SIGHT = 'ContainerStatusUnknown'
/** A container's last words are its own: anybody who runs a job can write them. */
const MESSAGE_CHARS_MAX = 1_000

export interface Output {
  readonly tail: string
  readonly missing: readonly string[]
}

export interface EndFacts {
  readonly pod: RunnerPod
  readonly trouble: Trouble | null
  readonly stopRequestedBy: string | null
  /** When its object went, where it is gone. */
  readonly goneAt: Instant | null
  readonly silentSince: Instant | null
  readonly output: Output
  readonly now: Instant
}

/** How a runner ended, from the last that was seen of its pod. */
export function readEnding({ pod, output, goneAt, ...facts }: EndFacts): Ending {
  const runner = pod.status.containerStatuses.find(({ name }) => name === RUNNER_CONTAINER)
  const ended = terminatedOf(runner)
  const isLost = ended?.reason === LOST_SIGHT
  const spec = pod.spec.containers.find(({ name }) => name === RUNNER_CONTAINER)
  const startedAt = startOf(runner)
  return {
    exitCode: isLost ? null : (ended?.exitCode ?? null),
    signal: isLost ? null : signalNameOf(ended?.signal),
    startedAt,
    endedAt: endedAtOf(pod, runner) ?? goneAt ?? facts.silentSince ?? leavingSinceOf(pod) ?? facts.now,
    tail: output.tail,
    oomKills: null, // the kubelet's word is in the container's reason
    memoryPeakBytes: null,
    memoryLimitBytes: quantityOf(spec?.resources?.limits?.memory),
    samples: [],
    stopRequestedBy: facts.stopRequestedBy,
    pod: podEndOf(pod, startedAt === null ? facts.trouble : null, facts.silentSince),
    missing: [...output.missing, ...notSeen(pod, runner, facts.silentSince, goneAt)],
  }
}

function podEndOf(pod: RunnerPod, trouble: Trouble | null, silentSince: Instant | null): PodEnd {
  const { metadata, spec, status } = pod
  const target = status.conditions.find(
    ({ type, status: is }) => type === 'DisruptionTarget' && is === 'True',
  )
  const silence =
    silentSince === null
      ? null
      : `nothing is heard from its node since ${new Date(silentSince).toISOString()}`
  return {
    place: {
      namespace: metadata.namespace ?? '',
      pod: metadata.name,
      uid: metadata.uid,
      node: spec.nodeName ?? null,
    },
    phase: status.phase,
    reason: status.reason ?? (silence === null ? null : 'NodeLost'),
    message: status.message ?? silence,
    disruption: target === undefined ? null : { reason: target.reason ?? '', message: target.message ?? '' },
    trouble,
    deletedAt: leavingSinceOf(pod),
    conditions: [],
    events: [],
    nodeAtEnd: null,
    containers: [
      ...spec.initContainers.map((each) => containerEnd(each, status.initContainerStatuses, true)),
      ...spec.containers.map((each) => containerEnd(each, status.containerStatuses, false)),
    ],
  }
}

const noLimits = { memoryBytes: null, cpuMillis: null, ephemeralStorageBytes: null }

function containerEnd(
  { name, image }: ContainerSpec,
  statuses: readonly ContainerStatus[],
  isInit: boolean,
): ContainerEnd {
  const status = statuses.find((each) => each.name === name)
  const ended = terminatedOf(status)
  const waiting = status?.state?.waiting
  const message = ended?.message ?? waiting?.message
  const isRunning = status?.state?.running !== undefined
  return {
    ...{ name, isInit, image: status?.image ?? image },
    state: isRunning ? 'running' : ended === undefined ? 'waiting' : 'terminated',
    reason: ended?.reason ?? waiting?.reason ?? null,
    message: message === undefined ? null : redactText(message, MESSAGE_CHARS_MAX),
    exitCode: ended?.exitCode ?? null,
    signal: ended?.signal ?? null,
    startedAt: startOf(status),
    finishedAt: instantOf(ended?.finishedAt),
    restarts: status?.restartCount ?? 0,
    ...{ imageDigest: null, limits: noLimits, earlier: null, tail: '' },
  }
}

/** What it ended with; of a container that was begun again, how it ended before. */
function terminatedOf(status: ContainerStatus | undefined) {
  return status?.state?.terminated ?? status?.lastState?.terminated
}

/** The beginning of time stands for a start that never was. */
function startOf(status: ContainerStatus | undefined): Instant | null {
  const at = instantOf(terminatedOf(status)?.startedAt ?? status?.state?.running?.startedAt)
  return at === null || at <= 0 ? null : at
}

function endedAtOf(pod: RunnerPod, runner: ContainerStatus | undefined): Instant | null {
  const own = instantOf(terminatedOf(runner)?.finishedAt)
  if (own !== null && own > 0) return own
  const all = statusesOf(pod).map((status) => instantOf(terminatedOf(status)?.finishedAt) ?? 0)
  const last = Math.max(0, ...all)
  return last === 0 ? null : last
}

function notSeen(
  pod: RunnerPod,
  runner: ContainerStatus | undefined,
  silentSince: Instant | null,
  goneAt: Instant | null,
): string[] {
  if (silentSince !== null) return [`its end: nothing is heard from its node ${pod.spec.nodeName}`]
  if (terminatedOf(runner)?.reason === LOST_SIGHT) {
    return ['its exit code: the kubelet did not find its container any more']
  }
  const mayHaveRun = runner?.state?.running !== undefined
  return goneAt !== null && mayHaveRun ? ['its exit code: its pod was removed while it ran'] : []
}
