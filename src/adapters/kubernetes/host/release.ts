import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Changed, ClusterWriter } from '../../../ports/cluster.ts'
import { EVIDENCE_FINALIZER } from '../pods/names.ts'
import type { HostContext } from './context.ts'
import { decideAgain, exactly, type Step, sameAs } from './decide-again.ts'
import { kinds } from './kinds.ts'
import { silentSinceOf } from './look.ts'
import type { RunnerPod } from './objects.ts'
import { stateOf } from './read-pod.ts'

/** Removes what is left of a runner that ended: our finalizer, and the pod where nobody else removes it. */
export async function releasePod(context: HostContext, name: string, signal: AbortSignal): Promise<void> {
  await takeAway(context, name, signal, (pod) => {
    if (stateOf(pod) !== 'exited') throw notEnded(name, 'it has not ended')
    return { isForced: false }
  })
}

/** Removes a pod of whose node nothing is heard; its kubelet ends what runs there should it come back. */
export async function abandonPod(context: HostContext, name: string, signal: AbortSignal): Promise<void> {
  await takeAway(context, name, signal, (pod) => {
    const isSilent = silentSinceOf(context, pod) !== null
    if (!isSilent && stateOf(pod) !== 'exited') throw notEnded(name, 'its node is heard, and it runs')
    return { isForced: true }
  })
}

async function takeAway(
  context: HostContext,
  name: string,
  signal: AbortSignal,
  judge: (pod: RunnerPod) => { readonly isForced: boolean },
): Promise<void> {
  const { memory } = context
  const lost = memory.lost.get(name)
  if (lost?.isProven) {
    memory.lost.delete(name)
    memory.uids.delete(name)
    memory.forget(lost.pod.metadata.uid)
    return
  }
  await decideAgain<void>(context, name, signal, async (pod) => {
    if (pod !== undefined) {
      const step = await remove(context, pod, judge(pod).isForced, signal)
      if (step === 'conflict') return step
      // The watch may have shown that it went before the answer came: then nothing of it is remembered any more.
      const { uid } = pod.metadata
      if (memory.noteOf(uid).isReleasing) memory.note(uid, { isReleased: true })
    }
    memory.lost.delete(name)
    memory.reserved.delete(name)
    memory.uids.delete(name)
    return { done: undefined }
  })
}

/** Two writes at most. Between them the pod is one that ended and that nothing holds: it can be released again. */
async function remove(
  context: HostContext,
  seen: RunnerPod,
  isForced: boolean,
  signal: AbortSignal,
): Promise<Step<void>> {
  const writer = context.writer()
  // Before it is sent: the watch may be faster than the answer, and must not take it for somebody else's doing.
  context.memory.note(seen.metadata.uid, { isReleasing: true })
  let pod = seen
  if (seen.metadata.finalizers?.includes(EVIDENCE_FINALIZER)) {
    const changed = await unhold(writer, seen, isForced, signal)
    if (changed.kind === 'conflict') return 'conflict'
    if (changed.kind === 'gone') return { done: undefined }
    pod = { ...seen, metadata: changed.object.metadata }
  }
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  const isLeaving = deletionTimestamp !== undefined && !(isForced && deletionGracePeriodSeconds > 0)
  if (isLeaving) return { done: undefined }
  const options = isForced ? { gracePeriodSeconds: 0 } : {}
  const removed = await writer.remove(kinds.pods, exactly(pod), signal, options)
  return removed === 'conflict' ? 'conflict' : { done: undefined }
}

/**
 * Whoever has ended stays so, whatever is written to it meanwhile: the cluster writes to a pod that leaves up to its
 * last moment. One of which nothing is heard may be back, and is let go only as it was seen.
 */
function unhold(
  writer: ClusterWriter,
  pod: RunnerPod,
  isForced: boolean,
  signal: AbortSignal,
): Promise<Changed> {
  if (!isForced) return writer.unhold(kinds.pods, sameAs(pod), EVIDENCE_FINALIZER, signal)
  const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== EVIDENCE_FINALIZER)
  return writer.patch(kinds.pods, exactly(pod), { metadata: { finalizers } }, signal)
}

function notEnded(name: string, why: string): HoldfastError {
  return new HoldfastError('E_RUNNER_NOT_ENDED', { name, why })
}
