import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import type { HostContext } from './context.ts'
import {
  hosted,
  hostedLost,
  inView,
  isPresent,
  type ReadContext,
  readAnybodys,
  readDirectly,
  silentSinceOf,
} from './look.ts'
import type { Reserved } from './memory.ts'
import type { RunnerPod } from './objects.ts'
import { lacksMarks } from './restore-marks.ts'
import { isBelievable, mustBelieve } from './views.ts'

/** No API server works on a request for longer: what was not made until then is not made any more. */
const CREATE_LANDS_WITHIN_MS = 90_000

/** Every runner of ours, as old as the watch, with what was just made and what went without us. */
export function listRunners(context: HostContext): readonly HostedRunner[] {
  const { views, memory } = context
  const { value: pods, freshness } = views.pods.list()
  mustBelieve('pods', freshness)
  const there = pods.filter((pod) => isPresent(context, pod))
  const names = new Set(there.map(({ metadata }) => metadata.name))
  const silences = new Map<string | undefined, Instant | null>()
  const runners = there.map((pod) => {
    const { nodeName } = pod.spec
    let silentSince = silences.get(nodeName)
    if (silentSince === undefined) {
      silentSince = silentSinceOf(context, pod)
      silences.set(nodeName, silentSince)
    }
    return hosted(context, pod, silentSince)
  })
  for (const [name, lost] of memory.lost) if (!names.has(name)) runners.push(hostedLost(context, lost))
  for (const [name, reserved] of memory.reserved) {
    if (!names.has(name)) runners.push(hostedReserved(context, name, reserved))
  }
  return runners
}

/**
 * One runner; null only where the cluster itself says that there is none. `uid`: by which the ledger knows its pod, so
 * that it is found whatever its marks say, and no other is taken for it.
 */
export async function findRunner(
  context: HostContext,
  name: string,
  signal: AbortSignal,
  uid?: string | null,
): Promise<HostedRunner | null> {
  if (uid != null && context.memory.uids.get(name) !== uid) return findKnown(context, name, uid, signal)
  const seen = inView(context, name)
  if (seen !== undefined && isBelievable(context.views.pods.freshness())) return hosted(context, seen)
  if (context.memory.lost.has(name)) return proveLost(context, name, signal)
  const { reserved } = context.memory
  const asked = reserved.get(name)
  const isNew = asked !== undefined && context.clock.now() - asked.askedAt < CREATE_LANDS_WITHIN_MS
  // The cluster said that it made it; the watch is only late.
  if (isNew && asked.pod !== null) return hosted(context, asked.pod)
  const pod = await readAnybodys(context, name, signal)
  if (pod !== undefined && isPresent(context, pod)) {
    if (lacksMarks(context, pod)) keepInSight(context, pod)
    return hosted(context, pod)
  }
  if (uid === null && pod !== undefined) mustBeNobodys(context, pod)
  if (isNew) return hostedReserved(context, name, asked)
  reserved.delete(name)
  // It went before any watch had shown it.
  if (asked?.pod != null && !context.memory.noteOf(asked.pod.metadata.uid).isReleased) {
    const lost = { pod: asked.pod, goneAt: context.clock.now(), isProven: true }
    context.memory.lose(name, lost)
    return hostedLost(context, lost)
  }
  return null
}

/** Of a runner whose UID nobody knows, a pod of its name that does not look like ours may be it: that is no absence. */
function mustBeNobodys({ memory }: HostContext, { metadata: { name, uid } }: RunnerPod): void {
  if (memory.uids.has(name) || memory.noteOf(uid).isReleased) return
  throw new HoldfastError('E_RUNNER_POD_UNCERTAIN', { name, uid })
}

/** Nobody here has seen it as ours: what the view shows under its name may be another, or itself under other marks. */
async function findKnown(
  context: HostContext,
  name: string,
  uid: string,
  signal: AbortSignal,
): Promise<HostedRunner | null> {
  const { memory } = context
  memory.uids.set(name, uid)
  const seen = inView(context, name)
  if (seen === undefined) {
    const pod = await readDirectly(context, name, signal)
    if (pod === undefined) memory.uids.delete(name)
    else keepInSight(context, pod)
    return pod === undefined ? null : hosted(context, pod)
  }
  return findRunner(context, name, signal)
}

/** No watch shows a pod without our labels: it is listed like one that left the view, until it has its marks again. */
function keepInSight(context: HostContext, pod: RunnerPod): void {
  const { memory, clock } = context
  const { name } = pod.metadata
  if (inView(context, name) === undefined) memory.lose(name, { pod, goneAt: clock.now(), isProven: false })
}

/** Asks the cluster whether a pod that left the view is gone, or only out of our sight. */
export async function proveLost(
  context: ReadContext,
  name: string,
  signal: AbortSignal,
): Promise<HostedRunner | null> {
  const lost = context.memory.lost.get(name)
  if (lost === undefined) return null
  if (lost.isProven) return hostedLost(context, lost)
  const pod = await readDirectly(context, name, signal)
  const isStillThere = pod?.metadata.uid === lost.pod.metadata.uid
  const known = isStillThere ? { ...lost, pod } : { ...lost, isProven: true }
  // It may have come back into the view, or been released, while the cluster was asked.
  if (context.memory.lost.get(name) === lost) context.memory.lost.set(name, known)
  return hostedLost(context, known)
}

/** A runner of which only the name is known, or what the cluster answered when it was made. */
function hostedReserved(context: ReadContext, name: string, { pool, pod }: Reserved): HostedRunner {
  if (pod !== null) return hosted(context, pod)
  return {
    ...{ name, pool, state: 'running', startedAt: null, program: 'waiting', template: null, node: null },
    ...{ trouble: null, leavingSince: null, silentSince: null, isProtected: false, exitedAt: null },
  }
}
