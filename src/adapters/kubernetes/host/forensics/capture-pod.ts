import type { Ending, NodeAtEnd } from '../../../../domain/death/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { type Cluster, kinds, type WholeObject } from '../../client/index.ts'
import { type NodeObject, type RunnerPod, toNodeObject, toRunnerPod } from '../objects/objects.ts'
import { nodeSilentSince } from '../status/nodes.ts'
import { stateOf } from '../status/runner-status.ts'
import { startProblemOf } from '../status/start-problem.ts'
import { type EndEvents, eventsIn } from './end-events.ts'
import { outputsOutOfReach, readOutputs } from './outputs.ts'
import { nodeEndOf } from './pod-end.ts'
import { endingFrom } from './runner-end.ts'

/** As much as a record of our own runners keeps. */
const tailBounds = { linesMax: 200, bytesMax: 64 * 1024 }
/** A person waits for the answer. */
const captureMaxMs = 15_000

export interface CaptureDeps {
  readonly cluster: Pick<Cluster, 'reader' | 'logs' | 'events'>
  readonly clock: Clock
}

export interface CapturedPod {
  readonly state: 'running' | 'ended'
  /** The evidence up to now, also of a pod that runs. */
  readonly ending: Ending
}

/**
 * Reads the evidence about any pod, also one that is not ours, with plain GETs: its node, its events and its output.
 * Needs no watch. `missing` of the ending names the parts that could not be read, after those that the caller names.
 */
export async function capturePod(
  found: WholeObject,
  missing: readonly string[],
  deps: CaptureDeps,
  signal: AbortSignal,
): Promise<CapturedPod> {
  const { cluster, clock } = deps
  const pod = toRunnerPod(found)
  const now = clock.now()
  const until = now + captureMaxMs
  const [node, about] = await Promise.all([readNode(pod, deps, signal), readPodEvents(pod, deps, signal)])
  const hasEnded = stateOf(pod) === 'exited'
  const silentSince = hasEnded || node.value === undefined ? null : nodeSilentSince(node.value)
  const outputs =
    silentSince === null
      ? await readOutputs(
          { logs: cluster.logs, clock },
          { pod, bounds: tailBounds, withOthers: true, until },
          signal,
        )
      : outputsOutOfReach(pod)
  const ending = endingFrom({
    pod,
    silentSince,
    now,
    goneAt: null,
    stopRequestedBy: null,
    events: about.events,
    tail: outputs.tail,
    tails: outputs.tails,
    nodeAtEnd: node.atEnd,
    startProblem: startProblemOf(pod, [], now),
    missing: [...outputs.missing, ...about.missing, ...node.missing, ...missing],
  })
  return { state: hasEnded || silentSince !== null ? 'ended' : 'running', ending }
}

export interface OptionalRead<T> {
  readonly value: T | undefined
  readonly missing: readonly string[]
}

/** A read that may be forbidden: access to a pod does not imply access to its node, events or owner. */
export async function readOptional<T>(
  subject: string,
  read: () => Promise<T | undefined>,
): Promise<OptionalRead<T>> {
  try {
    return { value: await read(), missing: [] }
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error
    return { value: undefined, missing: [`${subject}: ${error.message}`] }
  }
}

interface NodeRead extends OptionalRead<NodeObject> {
  readonly atEnd: NodeAtEnd | null
}

async function readNode(
  { spec }: RunnerPod,
  { cluster }: CaptureDeps,
  signal: AbortSignal,
): Promise<NodeRead> {
  const name = spec.nodeName
  if (name === undefined) return { value: undefined, atEnd: null, missing: [] }
  const read = await readOptional(`its node ${name}`, () =>
    cluster.reader.read<WholeObject>(kinds.nodes, { name }, signal),
  )
  const value = read.value === undefined ? undefined : toNodeObject(read.value)
  return { value, atEnd: read.missing.length === 0 ? nodeEndOf(value) : null, missing: read.missing }
}

async function readPodEvents(
  { metadata: { uid, namespace = '' } }: RunnerPod,
  { cluster }: CaptureDeps,
  signal: AbortSignal,
): Promise<EndEvents> {
  const read = await readOptional('its events', () =>
    cluster.events.about({ namespace, podUid: uid, deadlineMs: captureMaxMs }, signal),
  )
  return read.value === undefined ? { events: [], missing: read.missing } : eventsIn(read.value)
}
