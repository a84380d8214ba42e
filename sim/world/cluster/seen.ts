import type { Ending } from '../../../src/domain/death/index.ts'
import type { StartProblem } from '../../../src/domain/pool/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { HostedRunner } from '../../../src/ports/runner-host.ts'
import { type Container, isOver, type Node, type Pod } from './model.ts'

type PodEnd = NonNullable<Ending['pod']>
type ContainerEnd = PodEnd['containers'][number]
type NodeAtEnd = NonNullable<PodEnd['nodeAtEnd']>

/** A pod that was placed and of which its node says nothing is in trouble after this. */
const silentAfterMs = 20_000

/** A pod in the words of the port. */
export function hostedOf(pod: Pod, node: Node | undefined, now: Instant): HostedRunner {
  const { status, template } = pod
  const hasExited = isOver(status) || (pod.leavingSince !== null && pod.node === null)
  // A node that is gone counts as silent.
  const silentSince = hasExited || pod.node === null ? null : node === undefined ? now : node.silentSince
  return {
    name: pod.name,
    pool: pod.pool,
    state: hasExited ? 'exited' : 'running',
    startedAt: firstOf(pod).startedAt,
    program: programOf(pod, silentSince !== null),
    template: template.hash,
    node: pod.node,
    problem: status.startProblem ?? silence(pod, now),
    leavingSince: pod.leavingSince,
    silentSince,
    isProtected: pod.isProtected,
    exitedAt: hasExited ? (lastOf(pod).finishedAt ?? pod.leavingSince) : null,
  }
}

/** The last status of a silent node proves nothing now. */
function programOf({ template, status }: Pod, isSilent: boolean): HostedRunner['program'] {
  const hasBegun = status.runner.state !== 'waiting'
  if (template.shape === 'isolated' && hasBegun) return 'started'
  return hasBegun || isSilent ? 'unknown' : 'waiting'
}

function silence(pod: Pod, now: Instant): StartProblem | null {
  if (pod.placedAt === null || isOver(pod.status) || firstOf(pod).state !== 'waiting') return null
  if (now - pod.placedAt < silentAfterMs) return null
  return { kind: 'NodeSilent', message: `${pod.node} does nothing about it`, since: pod.placedAt }
}

function firstOf({ template, status }: Pod): Container {
  return template.shape === 'single' ? status.runner : status.poller
}

function lastOf(pod: Pod): Container {
  return pod.status.runner.state === 'terminated' ? pod.status.runner : firstOf(pod)
}

/** How a pod ended, or what is known of one on a silent node; null while it runs. */
export function endingOf(pod: Pod, node: Node | undefined, now: Instant): Ending | null {
  const { status, template } = pod
  const { state, silentSince } = hostedOf(pod, node, now)
  if (state === 'running' && silentSince === null) return null
  const decisive = lastOf(pod)
  const containers = template.shape === 'single' ? ['runner'] : ['poller', 'runner']
  return {
    exitCode: decisive.exitCode,
    signal: decisive.signal,
    startedAt: firstOf(pod).startedAt,
    endedAt: decisive.finishedAt ?? pod.leavingSince ?? now,
    tail: '',
    oomKills: decisive.reason === 'OOMKilled' ? 1 : 0,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: pod.stopReason,
    pod: {
      place: { namespace: 'sim', pod: pod.name, uid: pod.uid, node: pod.node },
      phase: status.phase,
      reason: status.reason,
      message: null,
      disruption: null,
      trouble: status.startProblem ?? silence({ ...pod, status: { ...status, phase: 'Pending' } }, now),
      deletedAt: pod.leavingSince,
      conditions: [],
      events: [],
      nodeAtEnd: nodeAtEnd(pod, node),
      containers: containers.map((name) => containerEnd(name, status[name as 'poller' | 'runner'])),
    },
    missing: silentSince === null ? [] : ['its node is silent'],
  }
}

function nodeAtEnd(pod: Pod, node: Node | undefined): NodeAtEnd | null {
  if (pod.node === null) return null
  if (node === undefined) return { isGone: true, isCordoned: false, conditions: [], taints: [] }
  const { isCordoned, pressures, silentSince } = node
  const condition = (type: string, status: string, at: Instant | null) => ({
    type,
    status,
    reason: null,
    message: null,
    at,
  })
  const ready = condition('Ready', silentSince === null ? 'True' : 'Unknown', silentSince)
  const conditions = [ready, ...pressures.map((type) => condition(type, 'True', null))]
  return { isGone: false, isCordoned, conditions, taints: [] }
}

const noLimits = { memoryBytes: null, cpuMillis: null, ephemeralStorageBytes: null }

function containerEnd(name: string, container: Container): ContainerEnd {
  const { state, reason, exitCode, startedAt, finishedAt } = container
  return {
    name,
    isInit: name === 'poller',
    image: 'simulated',
    message: null,
    signal: null,
    restarts: 0,
    state,
    reason,
    exitCode,
    startedAt,
    finishedAt,
    limits: noLimits,
    imageDigest: null,
    earlier: null,
    tail: '',
  }
}
