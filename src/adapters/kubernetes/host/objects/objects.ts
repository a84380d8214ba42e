import { isRecord } from '../../../../domain/is-record.ts'
import type { ClusterObject, ObjectMeta } from '../../../../ports/cluster.ts'
import { type Fields, fields, isCount, list, type Transform, text } from '../../client/index.ts'
import { type ContainerResources, podRequests, type ResourceList } from '../capacity/requests.ts'
import { type Interner, noInterner } from './interner.ts'
import { keptAnnotations, keptLabels } from './marks.ts'
import { eventContainer, type MemoryVolume, memoryVolumesOf, type Owner, ownersOf } from './pod-parts.ts'

export interface ContainerSpec extends ContainerResources {
  readonly name: string
  readonly image: string
}

export interface Terminated {
  readonly exitCode?: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string | null
  readonly finishedAt?: string | null
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt?: string | null }
  readonly terminated?: Terminated
}

export interface ContainerStatus {
  readonly name: string
  readonly image?: string
  readonly imageID?: string
  readonly started?: boolean | null
  readonly restartCount?: number
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string | null
}

/** The fields of a pod that are kept: for its state, its end and its removal. */
export interface RunnerPod extends ClusterObject {
  readonly metadata: ObjectMeta & { readonly deletionGracePeriodSeconds?: number }
  readonly spec: {
    readonly nodeName?: string
    readonly containers: readonly ContainerSpec[]
    readonly initContainers: readonly ContainerSpec[]
    readonly memoryVolumes: readonly MemoryVolume[]
  }
  readonly owners: readonly Owner[]
  readonly status: {
    readonly phase: string
    readonly reason?: string
    readonly message?: string
    readonly startTime?: string
    readonly conditions: readonly Condition[]
    readonly containerStatuses: readonly ContainerStatus[]
    readonly initContainerStatuses: readonly ContainerStatus[]
  }
  /** The resources that its node and quota must have free for it. */
  readonly requests: ResourceList
}

/** The fields of a node that are kept. */
export interface NodeObject extends ClusterObject {
  readonly isCordoned: boolean
  readonly taints: readonly Taint[]
  readonly conditions: readonly Condition[]
  readonly allocatable: Readonly<Record<string, unknown>>
  /** The kernel's id of the boot that it is in; null where its kubelet does not say it. */
  readonly bootId: string | null
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

/** The fields of a quota that are kept. */
export interface QuotaObject extends ClusterObject {
  /** Whether it counts only some of the pods. */
  readonly isScoped: boolean
  readonly hard: Readonly<Record<string, unknown>>
  readonly used: Readonly<Record<string, unknown>>
}

/** The fields of an event about a pod that are kept; each watched event is a warning. */
export interface PodWarning extends ClusterObject {
  readonly podName: string
  readonly podUid: string
  readonly type: string
  readonly reason: string
  readonly message: string
  /** The container that the event is about, where it names one. */
  readonly container?: string
  readonly count: number
  readonly firstAt: string | null
  readonly lastAt: string | null
}

/** Cut to what a person reads; the API allows more. */
const messageCharsMax = 1_000
/** A UUID. */
const bootIdCharsMax = 64

export const toRunnerPod: Transform<RunnerPod> = runnerPodTransform(noInterner)

/** For a view of thousands: what most of them have in common is kept once. */
export function runnerPodTransform(sharing: Interner): Transform<RunnerPod> {
  const named = (value: unknown) => sharing.text(text(value) ?? '')
  const conditionOf = (given: Fields): Condition => ({
    type: named(given.type),
    status: named(given.status),
    ...words(given),
    lastTransitionTime: text(given.lastTransitionTime) ?? null,
  })
  return ({ metadata, ...rest }) => {
    const spec = fields(rest.spec)
    const status = fields(rest.status)
    const nodeName = text(spec.nodeName)
    const { containers, initContainers, memoryVolumes, requests } = specOf(spec, sharing)
    const owners = ownersOf(metadata)
    return {
      metadata: keptMeta(metadata as RunnerPod['metadata'], sharing),
      spec: {
        ...(nodeName && { nodeName: sharing.text(nodeName) }),
        containers,
        initContainers,
        memoryVolumes,
      },
      owners: sharing.value('owners', owners, () => owners),
      status: {
        phase: text(status.phase) ?? 'Unknown',
        ...words(status),
        ...(text(status.startTime) && { startTime: text(status.startTime) as string }),
        conditions: list(status.conditions).map(conditionOf),
        containerStatuses: list(status.containerStatuses).map((each) => containerStatus(each, sharing)),
        initContainerStatuses: list(status.initContainerStatuses).map((each) =>
          containerStatus(each, sharing),
        ),
      },
      requests,
    }
  }
}

/** Of the containers what is read of them, and what they ask for together. */
function specOf(
  spec: Fields,
  sharing: Interner,
): Omit<RunnerPod['spec'], 'nodeName'> & Pick<RunnerPod, 'requests'> {
  const kept = {
    containers: list(spec.containers).map(containerSpec),
    initContainers: list(spec.initContainers).map(containerSpec),
    overhead: fields(spec.overhead),
    memoryVolumes: memoryVolumesOf(spec),
  }
  return sharing.value('spec', kept, () => {
    const { containers, initContainers, memoryVolumes } = kept
    return { containers, initContainers, memoryVolumes, requests: podRequests(kept) }
  })
}

export const toNodeObject: Transform<NodeObject> = ({ metadata, ...rest }) => {
  const spec = fields(rest.spec)
  const status = fields(rest.status)
  return {
    metadata: bareMeta(metadata, { labels: metadata.labels ?? {} }),
    isCordoned: spec.unschedulable === true,
    taints: list(spec.taints).map(({ key, value, effect, timeAdded }) => ({
      key: text(key) ?? '',
      effect: text(effect) ?? '',
      ...(text(value) && { value: text(value) as string }),
      ...(text(timeAdded) && { timeAdded: text(timeAdded) as string }),
    })),
    conditions: list(status.conditions).map(condition),
    allocatable: fields(status.allocatable),
    bootId: text(fields(status.nodeInfo).bootID)?.slice(0, bootIdCharsMax) || null,
  }
}

export const toQuotaObject: Transform<QuotaObject> = ({ metadata, ...rest }) => {
  const spec = fields(rest.spec)
  const status = fields(rest.status)
  const selected = list(fields(spec.scopeSelector).matchExpressions).length > 0
  return {
    metadata: bareMeta(metadata),
    isScoped: selected || (Array.isArray(spec.scopes) && spec.scopes.length > 0),
    hard: fields(status.hard),
    used: fields(status.used),
  }
}

export const toPodWarning: Transform<PodWarning> = ({ metadata, ...rest }) => {
  const about = fields(rest.involvedObject)
  const series = fields(rest.series)
  const firstAt = text(rest.firstTimestamp) ?? text(rest.eventTime) ?? metadata.creationTimestamp ?? null
  return {
    metadata: bareMeta(metadata),
    podName: text(about.name) ?? '',
    podUid: text(about.uid) ?? '',
    ...eventContainer(about),
    type: text(rest.type) ?? '',
    reason: text(rest.reason) ?? '',
    message: (text(rest.message) ?? '').slice(0, messageCharsMax),
    count: [rest.count, series.count].find(isCount) ?? 1,
    firstAt,
    lastAt: text(rest.lastTimestamp) ?? text(series.lastObservedTime) ?? firstAt,
  }
}

/** A person may write a MiB of annotations into each pod; ours are few and short. */
function keptMeta(metadata: RunnerPod['metadata'], sharing: Interner): RunnerPod['metadata'] {
  const { deletionGracePeriodSeconds, finalizers } = metadata
  const annotations = keptAnnotations(metadata.annotations)
  return {
    ...bareMeta(metadata, {
      labels: keptLabels(metadata, sharing),
      annotations: sharing.value('annotations', annotations, () => annotations),
    }),
    ...(finalizers !== undefined && {
      finalizers: sharing.value('finalizers', finalizers, () => finalizers),
    }),
    ...(typeof deletionGracePeriodSeconds === 'number' && { deletionGracePeriodSeconds }),
  }
}

function bareMeta(metadata: ObjectMeta, more: Partial<ObjectMeta> = {}): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata
  return {
    name,
    uid,
    resourceVersion,
    ...(namespace !== undefined && { namespace }),
    ...(creationTimestamp && { creationTimestamp }),
    ...(deletionTimestamp && { deletionTimestamp }),
    ...(more.labels && { labels: more.labels }),
    ...(more.annotations && { annotations: more.annotations }),
  }
}

function containerSpec({ name, image, restartPolicy, resources }: Fields): ContainerSpec {
  const { requests, limits } = fields(resources)
  return {
    name: text(name) ?? '',
    image: text(image) ?? '',
    ...(text(restartPolicy) && { restartPolicy: text(restartPolicy) as string }),
    resources: { requests: fields(requests), limits: fields(limits) },
  }
}

function containerStatus(given: Fields, sharing: Interner): ContainerStatus {
  const { name, image, imageID, started, restartCount } = given
  return {
    name: sharing.text(text(name) ?? ''),
    ...(text(image) && { image: sharing.text(text(image) as string) }),
    ...(text(imageID) && { imageID: sharing.text(text(imageID) as string) }),
    ...(typeof started === 'boolean' && { started }),
    ...(typeof restartCount === 'number' && { restartCount }),
    state: state(fields(given.state)),
    lastState: state(fields(given.lastState)),
  }
}

const nothingSaid: ContainerState = {}

function state({ waiting, running, terminated }: Fields): ContainerState {
  if (isRecord(terminated)) {
    const { exitCode, signal, startedAt, finishedAt } = terminated
    return {
      terminated: {
        ...words(terminated),
        ...(typeof exitCode === 'number' && { exitCode }),
        ...(typeof signal === 'number' && { signal }),
        startedAt: text(startedAt) ?? null,
        finishedAt: text(finishedAt) ?? null,
      },
    }
  }
  if (isRecord(running)) return { running: { startedAt: text(running.startedAt) ?? null } }
  if (isRecord(waiting)) return { waiting: words(waiting) }
  return nothingSaid
}

function condition(given: Fields): Condition {
  return {
    type: text(given.type) ?? '',
    status: text(given.status) ?? '',
    ...words(given),
    lastTransitionTime: text(given.lastTransitionTime) ?? null,
  }
}

function words({ reason, message }: Fields): { readonly reason?: string; readonly message?: string } {
  return {
    ...(text(reason) && { reason: text(reason) as string }),
    ...(text(message) && { message: (text(message) as string).slice(0, messageCharsMax) }),
  }
}
