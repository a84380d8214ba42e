import {
  type ContainerEnd,
  type EarlierEnd,
  isPlaceholder,
  type Limits,
} from '../../../../domain/death/index.ts'
import { parseQuantity } from '../../../../domain/quantity.ts'
import { redactText } from '../../../../domain/redact/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import { instantOf } from '../../client/index.ts'
import { runnerContainer } from '../objects/marks.ts'
import type { ContainerSpec, ContainerStatus, RunnerPod, Terminated } from '../objects/objects.ts'

/** A container's last words are its own: anybody who runs a job can write them. */
const messageCharsMax = 1_000
/** Names of images and digests come from the node, and are as long as somebody made them. */
const imageCharsMax = 500
/** More are not kept: a template with so many is a mistake or an attack on the record. */
const containersMax = 40

const digest = /sha\d{3}:[0-9a-f]{32,128}/

/** Every container of a pod at its end, in the order in which they start. */
export function containerEnds(
  { spec, status }: RunnerPod,
  tails: ReadonlyMap<string, string>,
  earlierEnds: ReadonlyMap<string, Terminated> = new Map(),
): ContainerEnd[] {
  const { initContainerStatuses: init, containerStatuses: others } = status
  const captured = { tails, earlierEnds }
  const ends = [
    ...spec.initContainers.map((each) => containerEnd(each, init, true, captured)),
    ...spec.containers.map((each) => containerEnd(each, others, false, captured)),
  ]
  return ends.filter(({ name }, place) => place < containersMax || name === runnerContainer)
}

/** How a container ended; of a restarted one, how it ended before. */
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
  captured: {
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
    name,
    isInit,
    image: (status?.image ?? image).slice(0, imageCharsMax),
    imageDigest: digestOf(status?.imageID),
    limits: limitsOf(resources?.limits),
    state: isRunning ? 'running' : ended === undefined ? 'waiting' : 'terminated',
    reason: ended?.reason ?? waiting?.reason ?? null,
    message: message === undefined ? null : redactText(message, messageCharsMax),
    // A code that stands for an end which nobody saw is none.
    exitCode: isMadeUp ? null : (ended?.exitCode ?? null),
    signal: isMadeUp ? null : (ended?.signal ?? null),
    startedAt: startOf(status),
    finishedAt: instantOf(ended?.finishedAt),
    restarts: status?.restartCount ?? 0,
    // A kubelet drops the earlier end of a container when its pod has ended.
    earlier: earlierOf(status?.lastState?.terminated ?? captured.earlierEnds.get(name)),
    tail: captured.tails.get(name) ?? '',
  }
}

/** As `registry/image@sha256:…`, or the bare digest where the image came by no registry. */
function digestOf(imageId: string | undefined): string | null {
  if (imageId === undefined) return null
  return digest.exec(imageId)?.[0] ?? imageId.slice(0, imageCharsMax)
}

function limitsOf(limits: Readonly<Record<string, unknown>> = {}): Limits {
  const cpu = parseQuantity(limits.cpu)
  return {
    memoryBytes: parseQuantity(limits.memory),
    cpuMillis: cpu === null ? null : Math.round(cpu * 1_000),
    ephemeralStorageBytes: parseQuantity(limits['ephemeral-storage']),
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
