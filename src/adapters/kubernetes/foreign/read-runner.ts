import type { NodeAtEnd } from '../../../domain/death/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ForeignRunner, MakerWord } from '../../../ports/foreign-runner.ts'
import type { Cluster } from '../cluster.ts'
import { type EndEvents, eventsIn } from '../host/end-events.ts'
import { kinds } from '../host/kinds.ts'
import { silenceOf } from '../host/nodes.ts'
import { keepNode, keepPod, type NodeObject, type RunnerPod } from '../host/objects.ts'
import { outputsOutOfReach, readOutputs } from '../host/outputs.ts'
import { nodeEndOf } from '../host/pod-end.ts'
import { readEnding } from '../host/read-end.ts'
import { stateOf } from '../host/read-pod.ts'
import { troubleOf } from '../host/trouble.ts'
import type { WholeObject } from '../reflector/objects.ts'
import { ephemeralRunners, readEphemeralRunner } from './ephemeral-runner.ts'

/** As much as a record of ours keeps. */
const tailBounds = { linesMax: 200, bytesMax: 64 * 1024 }
/** A person waits for it. */
const READ_MAX_MS = 15_000

export interface ForeignDeps {
  readonly cluster: Pick<Cluster, 'reader' | 'logs' | 'events' | 'namedEvents'>
  readonly clock: Clock
}

interface Place {
  readonly namespace: string
  readonly pod: string
}

/**
 * Reads a runner that is not ours with plain GETs: its pod, what its maker says, events, node and output. What may not
 * be read is named. Throws E_SUBJECT_UNKNOWN where neither the pod nor its maker is there, and nothing is told of them.
 */
export async function readForeignRunner(
  { namespace, pod: name }: Place,
  deps: ForeignDeps,
  signal: AbortSignal,
): Promise<ForeignRunner> {
  const { reader } = deps.cluster
  const [found, maker] = await Promise.all([
    reader.read<WholeObject>(kinds.pods, { name, namespace }, signal),
    optional('its EphemeralRunner', () =>
      reader.read<WholeObject>(ephemeralRunners, { name, namespace }, signal),
    ),
  ])
  const word = maker.value === undefined ? null : readEphemeralRunner(maker.value)
  const given = { namespace, pod: name, maker: word }
  if (found !== undefined) return ofPod(keepPod(found), given, maker.missing, deps, signal)
  const told = await optional('events about it', () =>
    deps.cluster.namedEvents({ namespace, pod: name, deadlineMs: READ_MAX_MS }, signal),
  )
  const { events, missing } = told.value === undefined ? { events: [], missing: [] } : eventsIn(told.value)
  if (word === null && events.length === 0) {
    const unread = [...maker.missing, ...told.missing].map((what) => `not read: ${what}`)
    const tried = [
      `the pod ${namespace}/${name} in the cluster`,
      `the EphemeralRunner ${namespace}/${name} of ARC`,
      'events about a pod of this name, which a cluster keeps for an hour or so',
      ...unread,
    ]
    throw new HoldfastError('E_SUBJECT_UNKNOWN', { subject: `${namespace}/${name}`, tried })
  }
  const unread = [...maker.missing, ...told.missing, ...missing]
  return { ...given, state: 'gone', ending: null, events, missing: unread }
}

type Given = Place & { readonly maker: MakerWord | null }

async function ofPod(
  pod: RunnerPod,
  given: Given,
  unread: readonly string[],
  deps: ForeignDeps,
  signal: AbortSignal,
): Promise<ForeignRunner> {
  const { clock } = deps
  const now = clock.now()
  const until = now + READ_MAX_MS
  const [node, told] = await Promise.all([
    readNode(pod, deps, signal),
    eventsOf(pod.metadata.uid, given.namespace, deps, signal),
  ])
  const hasEnded = stateOf(pod) === 'exited'
  const silentSince = hasEnded || node.value === undefined ? null : silenceOf(node.value)
  const outputs =
    silentSince === null
      ? await readOutputs(
          { logs: deps.cluster.logs, clock },
          { pod, bounds: tailBounds, withOthers: true, until },
          signal,
        )
      : outputsOutOfReach(pod)
  const ending = readEnding({
    ...{ pod, silentSince, now, goneAt: null, stopRequestedBy: null, events: told.events },
    ...{ tail: outputs.tail, tails: outputs.tails, nodeAtEnd: node.atEnd },
    trouble: troubleOf(pod, [], now),
    missing: [...outputs.missing, ...told.missing, ...node.missing, ...unread],
  })
  const state = hasEnded || silentSince !== null ? 'ended' : 'running'
  return { ...given, state, ending, events: [], missing: [] }
}

interface NodeRead {
  readonly value: NodeObject | undefined
  readonly atEnd: NodeAtEnd | null
  readonly missing: readonly string[]
}

async function readNode(
  { spec }: RunnerPod,
  { cluster }: ForeignDeps,
  signal: AbortSignal,
): Promise<NodeRead> {
  const name = spec.nodeName
  if (name === undefined) return { value: undefined, atEnd: null, missing: [] }
  const read = await optional(`its node ${name}`, () =>
    cluster.reader.read<WholeObject>(kinds.nodes, { name }, signal),
  )
  const value = read.value === undefined ? undefined : keepNode(read.value)
  return { value, atEnd: read.missing.length === 0 ? nodeEndOf(value) : null, missing: read.missing }
}

async function eventsOf(
  podUid: string,
  namespace: string,
  { cluster }: ForeignDeps,
  signal: AbortSignal,
): Promise<EndEvents> {
  const read = await optional('its events', () =>
    cluster.events.about({ namespace, podUid, deadlineMs: READ_MAX_MS }, signal),
  )
  return read.value === undefined ? { events: [], missing: read.missing } : eventsIn(read.value)
}

interface Optional<T> {
  readonly value: T | undefined
  readonly missing: readonly string[]
}

/** Whoever may read pods may not always read what stands around them. */
async function optional<T>(what: string, read: () => Promise<T | undefined>): Promise<Optional<T>> {
  try {
    return { value: await read(), missing: [] }
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error
    return { value: undefined, missing: [`${what}: ${error.message}`] }
  }
}
