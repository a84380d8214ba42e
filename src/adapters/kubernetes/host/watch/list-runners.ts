import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import type { HostedRunner } from '../../../../ports/runner-host.ts'
import { lacksMarks } from '../actions/restore-marks.ts'
import type { HostContext } from '../context.ts'
import type { RunnerPod } from '../objects/objects.ts'
import type { PendingCreate } from './host-state.ts'
import {
  hosted,
  hostedLost,
  inCache,
  isPresent,
  type ReadContext,
  readOwnPod,
  readPodByName,
  silentSinceOf,
} from './read-runner.ts'
import { isFresh, requireFresh } from './views.ts'

/** No API server works on a request for longer: what was not made until then is not made any more. */
const createLandsWithinMs = 90_000

/** Every runner of ours, as old as the watch, with what was just made and what went without us. */
export function listRunners(context: HostContext): readonly HostedRunner[] {
  const { views, state } = context
  const { value: pods, freshness } = views.pods.list()
  requireFresh('pods', freshness)
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
  for (const [name, lost] of state.lost) if (!names.has(name)) runners.push(hostedLost(context, lost))
  for (const [name, reserved] of state.pendingCreates) {
    if (!names.has(name)) runners.push(hostedPending(context, name, reserved))
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
  if (uid != null && context.state.uids.get(name) !== uid) return findKnown(context, name, uid, signal)
  const cached = inCache(context, name)
  if (cached !== undefined && isFresh(context.views.pods.freshness())) return hosted(context, cached)
  if (context.state.lost.has(name)) return proveLost(context, name, signal)
  const { pendingCreates } = context.state
  const asked = pendingCreates.get(name)
  const isNew = asked !== undefined && context.clock.now() - asked.askedAt < createLandsWithinMs
  // The cluster said that it made it; the watch is only late.
  if (isNew && asked.pod !== null) return hosted(context, asked.pod)
  const pod = await readPodByName(context, name, signal)
  if (pod !== undefined && isPresent(context, pod)) {
    if (lacksMarks(context, pod)) keepInSight(context, pod)
    return hosted(context, pod)
  }
  if (uid === null && pod !== undefined) refuseUncertain(context, pod)
  if (isNew) return hostedPending(context, name, asked)
  pendingCreates.delete(name)
  // It went before any watch had shown it.
  if (asked?.pod != null && !context.state.noteOf(asked.pod.metadata.uid).isReleased) {
    const lost = { pod: asked.pod, goneAt: context.clock.now(), isProven: true }
    context.state.addLost(name, lost)
    return hostedLost(context, lost)
  }
  return null
}

/** Of a runner whose UID nobody knows, a pod of its name that does not look like ours may be it: that is no absence. */
function refuseUncertain({ state }: HostContext, { metadata: { name, uid } }: RunnerPod): void {
  if (state.uids.has(name) || state.noteOf(uid).isReleased) return
  throw new HoldfastError('E_RUNNER_POD_UNCERTAIN', { name, uid })
}

/** Nobody here has seen it as ours: what the view shows under its name may be another, or itself under other marks. */
async function findKnown(
  context: HostContext,
  name: string,
  uid: string,
  signal: AbortSignal,
): Promise<HostedRunner | null> {
  const { state } = context
  state.uids.set(name, uid)
  const cached = inCache(context, name)
  if (cached === undefined) {
    const pod = await readOwnPod(context, name, signal)
    if (pod === undefined) state.uids.delete(name)
    else keepInSight(context, pod)
    return pod === undefined ? null : hosted(context, pod)
  }
  return findRunner(context, name, signal)
}

/** No watch shows a pod without our labels: it is listed like one that left the view, until it has its marks again. */
function keepInSight(context: HostContext, pod: RunnerPod): void {
  const { state, clock } = context
  const { name } = pod.metadata
  if (inCache(context, name) === undefined) state.addLost(name, { pod, goneAt: clock.now(), isProven: false })
}

/** Asks the cluster whether a pod that left the view is gone, or only out of our sight. */
export async function proveLost(
  context: ReadContext,
  name: string,
  signal: AbortSignal,
): Promise<HostedRunner | null> {
  const lost = context.state.lost.get(name)
  if (lost === undefined) return null
  if (lost.isProven) return hostedLost(context, lost)
  const pod = await readOwnPod(context, name, signal)
  const isStillThere = pod?.metadata.uid === lost.pod.metadata.uid
  const known = isStillThere ? { ...lost, pod } : { ...lost, isProven: true }
  // It may have come back into the view, or been released, while the cluster was asked.
  if (context.state.lost.get(name) === lost) context.state.lost.set(name, known)
  return hostedLost(context, known)
}

/** A runner of which only the name is known, or what the cluster answered when it was made. */
function hostedPending(context: ReadContext, name: string, { pool, pod }: PendingCreate): HostedRunner {
  if (pod !== null) return hosted(context, pod)
  return {
    name,
    pool,
    state: 'running',
    startedAt: null,
    program: 'waiting',
    template: null,
    node: null,
    problem: null,
    leavingSince: null,
    silentSince: null,
    isProtected: false,
    exitedAt: null,
  }
}
