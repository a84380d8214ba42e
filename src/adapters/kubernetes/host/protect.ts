import type { JobMarks } from '../../../ports/runner-host.ts'
import { jobMarks } from '../pods/job-marks.ts'
import { busyAnnotations, annotations as names } from '../pods/names.ts'
import { isNoNewer } from '../reflector/version.ts'
import type { HostContext } from './context.ts'
import { decideAgain, sameAs } from './decide-again.ts'
import { kinds } from './kinds.ts'
import { isProtectedPod } from './marks.ts'
import type { RunnerPod } from './objects.ts'
import { stateOf } from './read-pod.ts'
import { isBelievable } from './views.ts'

/** Tells those who tidy up nodes to leave a busy pod alone, and which job it has: one write, and none where it stands there already. */
export async function protectPod(
  context: HostContext,
  name: string,
  job: JobMarks | null,
  signal: AbortSignal,
): Promise<void> {
  const marks = job === null ? null : jobMarks(job)
  await decideAgain<void>(context, name, signal, async (pod) => {
    if (pod === undefined || isMarked(context, pod) || stateOf(pod) === 'exited') return { done: undefined }
    const annotations = { ...marks?.annotations, ...bootMark(context, pod), ...busyAnnotations }
    const patch = { metadata: { ...(marks !== null && { labels: marks.labels }), annotations } }
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

/** In the same write, and not in memory alone: whoever captures its end may be another process. */
function bootMark({ views }: HostContext, { metadata, spec }: RunnerPod): Readonly<Record<string, string>> {
  if (metadata.annotations?.[names.bootId] !== undefined) return {}
  const { value, freshness } = views.nodes.get(spec.nodeName ?? '')
  const bootId = isBelievable(freshness) ? (value?.bootId ?? null) : null
  return bootId === null ? {} : { [names.bootId]: bootId }
}

/** Also where a watch that is late does not show yet what we wrote. */
function isMarked({ memory }: HostContext, pod: RunnerPod): boolean {
  const { uid, resourceVersion } = pod.metadata
  const { protectedIn } = memory.noteOf(uid)
  return isProtectedPod(pod) || (protectedIn !== undefined && isNoNewer(resourceVersion, protectedIn))
}
