import type { JobMarks } from '../../../../ports/runner-host.ts'
import { isNoNewer, kinds } from '../../client/index.ts'
import { busyAnnotations, jobMarks, annotations as names } from '../../pods/index.ts'
import type { HostContext } from '../context.ts'
import { isProtectedPod } from '../objects/marks.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { stateOf } from '../status/runner-status.ts'
import { isFresh } from '../watch/views.ts'
import { retryOnConflict, sameAs } from './retry-on-conflict.ts'

/** Marks a busy pod so that autoscalers and deschedulers leave it alone, with its job: one write, and none where the marks are there already. */
export async function protectPod(
  context: HostContext,
  name: string,
  job: JobMarks | null,
  signal: AbortSignal,
): Promise<void> {
  const marks = job === null ? null : jobMarks(job)
  await retryOnConflict<void>(context, name, signal, async (pod) => {
    if (pod === undefined || isMarked(context, pod) || stateOf(pod) === 'exited') return { done: undefined }
    const annotations = { ...marks?.annotations, ...bootMark(context, pod), ...busyAnnotations }
    const patch = { metadata: { ...(marks !== null && { labels: marks.labels }), annotations } }
    // In whatever state it is by now: a kubelet that starts a pod writes several, and the marks do no harm in any.
    const changed = await context.writer().patch(kinds.pods, sameAs(pod), patch, signal)
    if (changed.kind === 'conflict') return 'conflict'
    if (changed.kind === 'changed') {
      context.state.note(pod.metadata.uid, {
        isBusy: true,
        protectedIn: changed.object.metadata.resourceVersion,
      })
    }
    return { done: undefined }
  })
}

/** In the same write, and not in memory alone: another process may capture its end. */
function bootMark({ views }: HostContext, { metadata, spec }: RunnerPod): Readonly<Record<string, string>> {
  if (metadata.annotations?.[names.bootId] !== undefined) return {}
  const { value, freshness } = views.nodes.get(spec.nodeName ?? '')
  const bootId = isFresh(freshness) ? (value?.bootId ?? null) : null
  return bootId === null ? {} : { [names.bootId]: bootId }
}

/** Also where a watch that is late does not show yet what we wrote. */
function isMarked({ state }: HostContext, pod: RunnerPod): boolean {
  const { uid, resourceVersion } = pod.metadata
  const { protectedIn } = state.noteOf(uid)
  return isProtectedPod(pod) || (protectedIn !== undefined && isNoNewer(resourceVersion, protectedIn))
}
