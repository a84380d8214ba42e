import { busyAnnotations } from '../pods/names.ts'
import type { HostContext } from './context.ts'
import { decideAgain, exactly } from './decide-again.ts'
import { kinds } from './kinds.ts'
import { isProtectedPod } from './marks.ts'
import { stateOf } from './read-pod.ts'

/** Tells those who tidy up nodes to leave a busy pod alone: one write, and none where it stands there already. */
export async function protectPod(context: HostContext, name: string, signal: AbortSignal): Promise<void> {
  await decideAgain<void>(context, name, signal, async (pod) => {
    if (pod === undefined || isProtectedPod(pod) || stateOf(pod) === 'exited') return { done: undefined }
    const patch = { metadata: { annotations: busyAnnotations } }
    const changed = await context.writer().patch(kinds.pods, exactly(pod), patch, signal)
    return changed.kind === 'conflict' ? 'conflict' : { done: undefined }
  })
}
