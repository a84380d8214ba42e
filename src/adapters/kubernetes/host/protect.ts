import { busyAnnotations } from '../pods/names.ts'
import { isNoNewer } from '../reflector/version.ts'
import type { HostContext } from './context.ts'
import { decideAgain, sameAs } from './decide-again.ts'
import { kinds } from './kinds.ts'
import { isProtectedPod } from './marks.ts'
import type { RunnerPod } from './objects.ts'
import { stateOf } from './read-pod.ts'

/** Tells those who tidy up nodes to leave a busy pod alone: one write, and none where it stands there already. */
export async function protectPod(context: HostContext, name: string, signal: AbortSignal): Promise<void> {
  await decideAgain<void>(context, name, signal, async (pod) => {
    if (pod === undefined || isMarked(context, pod) || stateOf(pod) === 'exited') return { done: undefined }
    const patch = { metadata: { annotations: busyAnnotations } }
    // In whatever state it is by now: a kubelet that starts a pod writes several, and the marks do no harm in any.
    const changed = await context.writer().patch(kinds.pods, sameAs(pod), patch, signal)
    if (changed.kind === 'conflict') return 'conflict'
    if (changed.kind === 'changed') {
      context.memory.note(pod.metadata.uid, {
        isBusy: true,
        protectedIn: changed.object.metadata.resourceVersion,
      })
    }
    return { done: undefined }
  })
}

/** Also where a watch that is late does not show yet what we wrote. */
function isMarked({ memory }: HostContext, pod: RunnerPod): boolean {
  const { uid, resourceVersion } = pod.metadata
  const { protectedIn } = memory.noteOf(uid)
  return isProtectedPod(pod) || (protectedIn !== undefined && isNoNewer(resourceVersion, protectedIn))
}
