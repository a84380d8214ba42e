import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Changed, ClusterWriter } from '../../../../ports/cluster.ts'
import { kinds } from '../../client/index.ts'
import { evidenceFinalizer } from '../../pods/index.ts'
import type { HostContext } from '../context.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { stateOf } from '../status/runner-status.ts'
import { silentSinceOf } from '../watch/read-runner.ts'
import { exactly, retryOnConflict, type Step, sameAs } from './retry-on-conflict.ts'

/** Removes what is left of a runner that ended: our finalizer, and the pod where nobody else removes it. */
export async function releasePod(context: HostContext, name: string, signal: AbortSignal): Promise<void> {
  await removePod(context, name, signal, (pod) => {
    if (stateOf(pod) !== 'exited') throw notEnded(name, 'it has not ended')
    return { isForced: false }
  })
}

/** Removes a pod on a silent node; should the node come back, its kubelet ends the containers. */
export async function abandonPod(context: HostContext, name: string, signal: AbortSignal): Promise<void> {
  await removePod(context, name, signal, (pod) => {
    const isSilent = silentSinceOf(context, pod) !== null
    if (!isSilent && stateOf(pod) !== 'exited') throw notEnded(name, 'its node answers, and it runs')
    return { isForced: true }
  })
}

async function removePod(
  context: HostContext,
  name: string,
  signal: AbortSignal,
  judge: (pod: RunnerPod) => { readonly isForced: boolean },
): Promise<void> {
  const { state } = context
  const lost = state.lost.get(name)
  if (lost?.isProven) {
    state.lost.delete(name)
    state.uids.delete(name)
    state.forget(lost.pod.metadata.uid)
    return
  }
  await retryOnConflict<void>(context, name, signal, async (pod) => {
    if (pod !== undefined) {
      const step = await remove(context, pod, judge(pod).isForced, signal)
      if (step === 'conflict') return step
      // The watch may have shown that it went before the answer came: then nothing of it is remembered any more.
      const { uid } = pod.metadata
      if (state.noteOf(uid).isReleasing) state.note(uid, { isReleased: true })
    }
    state.lost.delete(name)
    state.pendingCreates.delete(name)
    state.uids.delete(name)
    return { done: undefined }
  })
}

/** Two writes at most. Between them the pod is one that ended and that nothing holds: it can be released again. */
async function remove(
  context: HostContext,
  cached: RunnerPod,
  isForced: boolean,
  signal: AbortSignal,
): Promise<Step<void>> {
  const writer = context.writer()
  // Before it is sent: the watch may be faster than the answer, and must not take it for somebody else's doing.
  context.state.note(cached.metadata.uid, { isReleasing: true })
  let pod = cached
  if (cached.metadata.finalizers?.includes(evidenceFinalizer)) {
    const changed = await removeFinalizer(writer, cached, isForced, signal)
    if (changed.kind === 'conflict') return 'conflict'
    if (changed.kind === 'gone') return { done: undefined }
    pod = { ...cached, metadata: changed.object.metadata }
  }
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  const isLeaving = deletionTimestamp !== undefined && !(isForced && deletionGracePeriodSeconds > 0)
  if (isLeaving) return { done: undefined }
  const options = isForced ? { gracePeriodSeconds: 0 } : {}
  const removed = await writer.remove(kinds.pods, exactly(pod), signal, options)
  return removed === 'conflict' ? 'conflict' : { done: undefined }
}

/**
 * A pod that has ended stays so, whatever is written to it meanwhile: the cluster writes to a pod that leaves up to its
 * last moment. A pod on a silent node may be back, and is released only in the state that was seen.
 */
function removeFinalizer(
  writer: ClusterWriter,
  pod: RunnerPod,
  isForced: boolean,
  signal: AbortSignal,
): Promise<Changed> {
  if (!isForced) return writer.removeFinalizer(kinds.pods, sameAs(pod), evidenceFinalizer, signal)
  const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== evidenceFinalizer)
  return writer.patch(kinds.pods, exactly(pod), { metadata: { finalizers } }, signal)
}

function notEnded(name: string, why: string): HoldfastError {
  return new HoldfastError('E_RUNNER_NOT_ENDED', { name, why })
}
