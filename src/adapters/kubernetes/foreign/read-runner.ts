import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ForeignRunner } from '../../../ports/foreign-runner.ts'
import { type Cluster, kinds, type WholeObject } from '../client/index.ts'
import { capturePod, eventsIn, readOptional } from '../host/forensics/index.ts'
import { ephemeralRunners } from '../snapshot/index.ts'
import { ownerStatusOf } from './ephemeral-runner.ts'
import { asRunnerPod, buildLogs, gitlabJobOf } from './gitlab-pod.ts'

/** A person waits for the answer. */
const eventsMaxMs = 15_000

export interface ForeignDeps {
  readonly cluster: Pick<Cluster, 'reader' | 'logs' | 'events' | 'namedEvents'>
  readonly clock: Clock
}

/** Where to look for a runner: its pod, and the EphemeralRunner of the same name. */
interface PodAddress {
  readonly namespace: string
  readonly pod: string
}

/**
 * Reads a runner that is not ours with plain GETs: its pod, the status of its EphemeralRunner, events, node and output.
 * Names the parts that it may not read. Throws E_SUBJECT_UNKNOWN where there is neither a pod, nor an EphemeralRunner,
 * nor an event about them.
 */
export async function readForeignRunner(
  { namespace, pod: name }: PodAddress,
  deps: ForeignDeps,
  signal: AbortSignal,
): Promise<ForeignRunner> {
  const { reader } = deps.cluster
  const [found, readOwner] = await Promise.all([
    reader.read<WholeObject>(kinds.pods, { name, namespace }, signal),
    readOptional('its EphemeralRunner', async () => {
      const object = await reader.read<WholeObject>(ephemeralRunners, { name, namespace }, signal)
      return object === undefined ? undefined : ownerStatusOf(object)
    }),
  ])
  const owner = readOwner.value ?? null
  const address = { namespace, pod: name, owner }
  if (found !== undefined) {
    const gitlab = gitlabJobOf(found)
    const { state, ending } = await (gitlab === null
      ? capturePod(found, readOwner.missing, deps, signal)
      : captureJobPod(found, deps, signal))
    return { ...address, gitlab, state, ending, events: [], missing: [] }
  }
  const about = await readOptional('events about it', () =>
    deps.cluster.namedEvents({ namespace, pod: name, deadlineMs: eventsMaxMs }, signal),
  )
  const { events, missing } = about.value === undefined ? { events: [], missing: [] } : eventsIn(about.value)
  const unread = [...readOwner.missing, ...about.missing]
  if (owner === null && events.length === 0) {
    const tried = [
      `the pod ${namespace}/${name} in the cluster`,
      `the EphemeralRunner ${namespace}/${name} of ARC`,
      'events about a pod of this name, which a cluster keeps for an hour or so',
      ...unread.map((part) => `not read: ${part}`),
    ]
    throw new HoldfastError('E_SUBJECT_UNKNOWN', { subject: `${namespace}/${name}`, tried })
  }
  return { ...address, state: 'gone', ending: null, events, missing: [...unread, ...missing] }
}

/** A pod of GitLab Runner has no object of ARC: that none could be read is nothing that is missing. */
function captureJobPod(pod: WholeObject, { cluster, clock }: ForeignDeps, signal: AbortSignal) {
  const { reader, events, logs } = cluster
  return capturePod(
    asRunnerPod(pod),
    [],
    { clock, cluster: { reader, events, logs: buildLogs(logs) } },
    signal,
  )
}
