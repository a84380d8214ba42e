import type { Instant } from '../../../../ports/clock.ts'
import type { HostedRunner } from '../../../../ports/runner-host.ts'
import { kinds, type WholeObject } from '../../client/index.ts'
import type { HostContext } from '../context.ts'
import { isOursByMarks } from '../objects/marks.ts'
import { type RunnerPod, toRunnerPod } from '../objects/objects.ts'
import { nodeSilentSince } from '../status/nodes.ts'
import { hostedRunnerOf } from '../status/runner-status.ts'
import { nodeSilentAt } from '../status/start-problem.ts'
import type { LostPod, RunnerReading } from './host-state.ts'
import { isFresh } from './views.ts'

export type ReadContext = Pick<HostContext, 'site' | 'reader' | 'views' | 'state' | 'clock'>

/** By which the view knows a runner's pod. */
export function keyOfRunner({ site }: Pick<HostContext, 'site'>, name: string): string {
  return `${site.namespace}/${name}`
}

/** The pod as the view has it, unless it is not ours, or was removed by us and the view does not know yet. */
export function inCache(context: ReadContext, name: string): RunnerPod | undefined {
  const pod = context.views.pods.get(keyOfRunner(context, name)).value
  return pod !== undefined && isPresent(context, pod) ? pod : undefined
}

/** Whether it is a pod of ours that we did not remove. */
export function isPresent(context: ReadContext, pod: RunnerPod): boolean {
  return isOurs(context, pod) && !context.state.noteOf(pod.metadata.uid).isReleased
}

/**
 * Whether it is the pod of the runner whose name it has. A runner whose UID is known has that pod and no other, whatever
 * is written on it; marks decide only as long as no UID is known.
 */
export function isOurs({ site, state }: Pick<ReadContext, 'site' | 'state'>, pod: RunnerPod): boolean {
  const { name, uid } = pod.metadata
  const known = state.uids.get(name)
  return known === undefined ? isOursByMarks(pod, site.hostId) : known === uid
}

/** The pod as the cluster itself has it now, where it is ours. */
export async function readOwnPod(
  context: ReadContext,
  name: string,
  signal: AbortSignal,
): Promise<RunnerPod | undefined> {
  const pod = await readPodByName(context, name, signal)
  return pod !== undefined && isPresent(context, pod) ? pod : undefined
}

/** Whatever pod the cluster itself has under this name now. */
export async function readPodByName(
  context: ReadContext,
  name: string,
  signal: AbortSignal,
): Promise<RunnerPod | undefined> {
  const place = { name, namespace: context.site.namespace }
  const found = await context.reader.read<WholeObject>(kinds.pods, place, signal)
  return found === undefined ? undefined : toRunnerPod(found)
}

/** The runner of a pod that is there. */
export function hosted(
  context: ReadContext,
  pod: RunnerPod,
  silentSince = silentSinceOf(context, pod),
): HostedRunner {
  const { views, clock } = context
  const { runner, isUntouched } = readingOf(context, pod)
  if (silentSince === null && !isUntouched) return runner
  const warnings = views.warnings.by('pod', pod.metadata.uid).value
  return hostedRunnerOf(pod, { silentSince, warnings, now: clock.now() })
}

/** Each state of a pod is read once: reading ten thousand of them in one breath takes 200 ms. */
export function readingOf({ state }: Pick<ReadContext, 'state'>, pod: RunnerPod): RunnerReading {
  const known = state.readings.get(pod)
  if (known !== undefined) return known
  const runner = hostedRunnerOf(pod, { silentSince: null, warnings: [], now: Number.NEGATIVE_INFINITY })
  const reading = { runner, isUntouched: nodeSilentAt(pod) !== null }
  state.readings.set(pod, reading)
  return reading
}

/** The runner of a pod that went without us: it has ended once the cluster says that it is gone. */
export function hostedLost(context: ReadContext, { pod, isProven, goneAt }: LostPod): HostedRunner {
  const runner = hosted(context, pod)
  if (!isProven) return runner
  return { ...runner, state: 'exited', silentSince: null, exitedAt: runner.exitedAt ?? goneAt }
}

/** Null as well where it cannot be said: a node view that is old shows no silence. */
export function silentSinceOf({ views, state, clock }: ReadContext, pod: RunnerPod): Instant | null {
  const { nodeName } = pod.spec
  if (nodeName === undefined) return null
  const { value: node, freshness } = views.nodes.get(nodeName)
  if (!isFresh(freshness)) return null
  return node === undefined ? state.absentSince(nodeName, clock.now()) : nodeSilentSince(node)
}

/** Whether its node is silent, or may be as far as is known: the status of its pods proves nothing then. */
export function mayBeSilent(context: ReadContext, pod: RunnerPod): boolean {
  if (pod.spec.nodeName === undefined) return false
  return !isFresh(context.views.nodes.freshness()) || silentSinceOf(context, pod) !== null
}
