import type { ContainerEnd, DeathFacts, Ending, NodeAtEnd, PodEnd } from '../../death/index.ts'
import type {
  ContainerStateFact,
  ContainerStatusFact,
  EventFact,
  ForgeJobFact,
  NodeFact,
  PodFact,
} from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'

/** Signals by which runners end, as the kubelet numbers them. */
const signalNames: Readonly<Record<number, string>> = {
  ...{ 4: 'SIGILL', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' },
}

/** Everything that was read about a runner's pod and its surroundings. */
export interface PodSurroundings {
  readonly events: readonly EventFact[]
  /** `gone`: all nodes were read, and it is not among them. Null: not known. */
  readonly node: NodeFact | 'gone' | null
  readonly tail: string
  readonly now: Instant
}

/** The end of a runner's pod, in the shape in which ends are judged. */
export function endingOfPod(pod: PodFact, { events, node, tail, now }: PodSurroundings): Ending {
  const status = pod.statuses.find(({ name }) => name === 'runner')
  const state = status?.state ?? null
  const end = state?.kind === 'terminated' ? state : null
  const spec = pod.containers.find(({ name }) => name === 'runner')
  return {
    exitCode: end?.exitCode ?? null,
    signal: signalName(end?.signal ?? null),
    startedAt: state?.startedAt ?? null,
    endedAt: end?.finishedAt ?? pod.deletedAt ?? now,
    tail,
    oomKills: null,
    memoryPeakBytes: null,
    memoryLimitBytes: spec?.limits.memory ?? null,
    samples: [],
    stopRequestedBy: null,
    pod: podEnd(pod, events, node),
    missing: [],
  }
}

/** The job of a runner as the forge had it when it was asked. */
export function jobReportOf(job: ForgeJobFact, readAt: Instant): NonNullable<DeathFacts['job']> {
  return {
    forgeJobId: job.jobId,
    repository: job.repository,
    attemptState: 'running',
    startedAt: job.startedAt,
    forgeStatus: job.status,
    conclusion: job.conclusion,
    ...(job.completedAt === null ? {} : { forgeCompletedAt: job.completedAt }),
    heardAt: readAt,
  }
}

function podEnd(pod: PodFact, events: readonly EventFact[], node: PodSurroundings['node']): PodEnd {
  const { namespace, name, uid, phase, reason, message, deletedAt, conditions, owner } = pod
  const mark = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  return {
    place: { namespace, pod: name, uid, node: pod.node },
    phase,
    reason,
    message,
    deletedAt,
    conditions,
    disruption: mark === undefined ? null : { reason: mark.reason ?? '', message: mark.message ?? '' },
    trouble: null,
    events: events.toSorted((a, b) => (a.lastAt ?? 0) - (b.lastAt ?? 0)),
    nodeAtEnd: node === null ? null : nodeAtEnd(node),
    containers: pod.containers.map((spec) =>
      containerEnd(spec, pod.statuses.find((status) => status.name === spec.name) ?? null),
    ),
    owners: owner === null ? [] : [owner],
  }
}

function nodeAtEnd(node: NodeFact | 'gone'): NodeAtEnd {
  if (node === 'gone') return { isGone: true, isCordoned: false, conditions: [], taints: [] }
  const { isCordoned, bootId, conditions, taints } = node
  return {
    isGone: false,
    isCordoned,
    bootId,
    conditions,
    taints: taints.map((taint) => ({ ...taint, at: null })),
  }
}

function containerEnd(
  { name, isInit, image, limits }: PodFact['containers'][number],
  status: ContainerStatusFact | null,
): ContainerEnd {
  const state = status?.state ?? null
  const cpu = limits.cpu
  return {
    name,
    isInit,
    image,
    imageDigest: status?.imageId ?? null,
    limits: {
      memoryBytes: limits.memory ?? null,
      cpuMillis: cpu === undefined ? null : cpu * 1000,
      ephemeralStorageBytes: limits['ephemeral-storage'] ?? null,
    },
    state: state?.kind ?? 'waiting',
    ...stateParts(state),
    message: state?.message ?? null,
    startedAt: state?.startedAt ?? null,
    restarts: status?.restarts ?? 0,
    earlier: status?.lastState == null ? null : stateParts(status.lastState),
    tail: '',
  }
}

function stateParts(state: ContainerStateFact | null) {
  return {
    reason: state?.reason ?? null,
    exitCode: state?.exitCode ?? null,
    signal: state?.signal ?? null,
    finishedAt: state?.finishedAt ?? null,
  }
}

function signalName(number: number | null): string | null {
  return number === null || number === 0 ? null : (signalNames[number] ?? `signal ${number}`)
}
