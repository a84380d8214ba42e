import {
  type ContainerEnd,
  type EarlierEnd,
  isPlaceholder,
  type Limits,
} from '../../../domain/death/index.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import { RUNNER_CONTAINER } from './marks.ts'
import type { ContainerSpec, ContainerStatus, RunnerPod, Terminated } from './objects.ts'
import { quantityOf } from './quantity.ts'
import { instantOf } from './times.ts'

/** A container's last words are its own: anybody who runs a job can write them. */
const MESSAGE_CHARS_MAX = 1_000
/** Names of images and digests come from the node, and are as long as somebody made them. */
const IMAGE_CHARS_MAX = 500
/** More are not kept: a template with so many is a mistake or an attack on the record. */
const CONTAINERS_MAX = 40

const DIGEST = /sha\d{3}:[0-9a-f]{32,128}/

/** Every container of a pod at its end, in the order in which they start. */
export function containerEnds(
  { spec, status }: RunnerPod,
  tails: ReadonlyMap<string, string>,
  earlierEnds: ReadonlyMap<string, Terminated> = new Map(),
): ContainerEnd[] {
  const { initContainerStatuses: init, containerStatuses: others } = status
  const seen = { tails, earlierEnds }
  const ends = [
    ...spec.initContainers.map((each) => containerEnd(each, init, true, seen)),
    ...spec.containers.map((each) => containerEnd(each, others, false, seen)),
  ]
  return ends.filter(({ name }, place) => place < CONTAINERS_MAX || name === RUNNER_CONTAINER)
}

/** What it ended with; of a container that was begun again, how it ended before. */
export function terminatedOf(status: ContainerStatus | undefined): Terminated | undefined {
  return status?.state?.terminated ?? status?.lastState?.terminated
}

/** How containers ended that were begun again, by their name. */
export function earlierEndsOf({ status }: RunnerPod): (readonly [name: string, end: Terminated])[] {
  return [...status.initContainerStatuses, ...status.containerStatuses].flatMap(({ name, lastState }) =>
    lastState?.terminated === undefined ? [] : [[name, lastState.terminated] as const],
  )
}

/** The beginning of time stands for a start that never was. */
export function startOf(status: ContainerStatus | undefined): Instant | null {
  const at = instantOf(terminatedOf(status)?.startedAt ?? status?.state?.running?.startedAt)
  return at === null || at <= 0 ? null : at
}

function containerEnd(
  { name, image, resources }: ContainerSpec,
  statuses: readonly ContainerStatus[],
  isInit: boolean,
  seen: {
    readonly tails: ReadonlyMap<string, string>
    readonly earlierEnds: ReadonlyMap<string, Terminated>
  },
): ContainerEnd {
  const status = statuses.find((each) => each.name === name)
  const ended = terminatedOf(status)
  const waiting = status?.state?.waiting
  const message = ended?.message ?? waiting?.message
  const isRunning = status?.state?.running !== undefined
  const isMadeUp = ended !== undefined && isPlaceholder(ended)
  return {
    ...{ name, isInit, image: (status?.image ?? image).slice(0, IMAGE_CHARS_MAX) },
    imageDigest: digestOf(status?.imageID),
    limits: limitsOf(resources?.limits),
    state: isRunning ? 'running' : ended === undefined ? 'waiting' : 'terminated',
    reason: ended?.reason ?? waiting?.reason ?? null,
    message: message === undefined ? null : redactText(message, MESSAGE_CHARS_MAX),
    // A code that stands for an end which nobody saw is none.
    exitCode: isMadeUp ? null : (ended?.exitCode ?? null),
    signal: isMadeUp ? null : (ended?.signal ?? null),
    startedAt: startOf(status),
    finishedAt: instantOf(ended?.finishedAt),
    restarts: status?.restartCount ?? 0,
    // A kubelet drops the earlier end of a container when its pod has ended.
    earlier: earlierOf(status?.lastState?.terminated ?? seen.earlierEnds.get(name)),
    tail: seen.tails.get(name) ?? '',
  }
}

/** As `registry/image@sha256:…`, or the bare digest where the image came by no registry. */
function digestOf(imageId: string | undefined): string | null {
  if (imageId === undefined) return null
  return DIGEST.exec(imageId)?.[0] ?? imageId.slice(0, IMAGE_CHARS_MAX)
}

function limitsOf(limits: Readonly<Record<string, unknown>> = {}): Limits {
  const cpu = quantityOf(limits.cpu)
  return {
    memoryBytes: quantityOf(limits.memory),
    cpuMillis: cpu === null ? null : Math.round(cpu * 1_000),
    ephemeralStorageBytes: quantityOf(limits['ephemeral-storage']),
  }
}

function earlierOf(ended: Terminated | undefined): EarlierEnd | null {
  if (ended === undefined) return null
  return {
    reason: ended.reason ?? null,
    exitCode: ended.exitCode ?? null,
    signal: ended.signal ?? null,
    finishedAt: instantOf(ended.finishedAt),
  }
}
