import type { HostContext } from './context.ts'
import { decideAgain, exactly } from './decide-again.ts'
import { kinds } from './kinds.ts'
import type { RunnerPod } from './objects.ts'

/** Whether somebody took a label of ours from a pod since it was seen like this. What we put back never looks so. */
export function lacksLabels(pod: RunnerPod, seen: RunnerPod): boolean {
  const left = pod.metadata.labels ?? {}
  return Object.keys(seen.metadata.labels ?? {}).some((name) => left[name] === undefined)
}

/**
 * Puts back labels that somebody took from a pod that is still there: without them nobody sees its end, and no policy
 * bounds its network. Labels of others are not touched.
 */
export async function relabelPod(context: HostContext, seen: RunnerPod, signal: AbortSignal): Promise<void> {
  const { name, uid, labels } = seen.metadata
  await decideAgain<void>(context, name, signal, async (pod) => {
    if (pod?.metadata.uid !== uid || !lacksLabels(pod, seen)) return { done: undefined }
    const changed = await context
      .writer()
      .patch(kinds.pods, exactly(pod), { metadata: { labels: { ...labels } } }, signal)
    if (changed.kind === 'conflict') return 'conflict'
    context.log.warn({ runner: name }, 'somebody took labels of ours from a pod; it has them again')
    return { done: undefined }
  })
}
