import { isNoNewer, kinds } from '../../client/index.ts'
import { annotations, busyAnnotations, containers, labels, manager } from '../../pods/index.ts'
import type { HostContext } from '../context.ts'
import { isProtectedPod } from '../objects/marks.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { exactly, retryOnConflict } from './retry-on-conflict.ts'

/** A writer that removes them each time, such as an admission webhook, is not fought for ever. */
export const restoresMax = 10
/** The pool of a runner stands in its name. */
const nameOfPool = /^(.+)-[0-9a-f]{8}$/

interface Marks {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

type MarksContext = Pick<HostContext, 'state' | 'site'>

/** Whether somebody took marks of ours from a pod, or changed them. What we put back never looks so. */
export function lacksMarks(context: MarksContext, pod: RunnerPod): boolean {
  const { labels: given = {}, annotations: notes = {} } = pod.metadata
  const wanted = wantedMarks(context, pod)
  return isOtherIn(wanted.labels, given) || isOtherIn(wanted.annotations, notes)
}

/**
 * Puts back marks of a pod that is still there: without them nobody sees its end, no policy bounds its network, and
 * people count it elsewhere. Marks of others are not touched.
 */
export async function restoreMarks(
  context: HostContext,
  { metadata: { name, uid } }: RunnerPod,
  signal: AbortSignal,
): Promise<void> {
  const { state } = context
  const { restores = 0, isRestoring = false } = state.noteOf(uid)
  if (isRestoring || restores >= restoresMax) return
  state.note(uid, { isRestoring: true })
  try {
    const isDone = await retryOnConflict<boolean>(context, name, signal, async (pod) => {
      if (pod?.metadata.uid !== uid || !lacksMarks(context, pod)) return { done: false }
      const metadata = wantedMarks(context, pod)
      const changed = await context.writer().patch(kinds.pods, exactly(pod), { metadata }, signal)
      return changed.kind === 'conflict' ? 'conflict' : { done: changed.kind === 'changed' }
    })
    if (isDone) logRestored(context, name, uid, restores + 1)
  } finally {
    state.note(uid, { isRestoring: false })
  }
}

function logRestored({ state, log }: HostContext, runner: string, uid: string, restores: number): void {
  state.note(uid, { restores })
  log.warn({ runner }, 'somebody changed labels or annotations of ours on a pod; it has them again')
  if (restores === restoresMax)
    log.error({ runner }, 'somebody changes the marks of a pod again and again; they stay as they are')
}

/** As it was made, as far as that is known: after a restart a pod may be seen first when its marks are others. */
function wantedMarks({ state, site }: MarksContext, pod: RunnerPod): Marks {
  const { name, uid, labels: given = {}, resourceVersion } = pod.metadata
  const { labels: first, isBusy = false, protectedIn } = state.noteOf(uid)
  // A watch that is late does not show yet what we wrote.
  const isWritten = protectedIn === undefined || !isNoNewer(resourceVersion, protectedIn)
  const isBusyMarked = isBusy && isWritten && !isProtectedPod(pod)
  return {
    labels: { ...(first ?? derivedLabels(pod, given)), [labels.runner]: name },
    annotations: { [annotations.host]: site.hostId, ...(isBusyMarked && busyAnnotations) },
  }
}

/** Of those that are missing what the pod itself says; what it was made from (`template`) nothing in it does. */
function derivedLabels({ metadata, spec }: RunnerPod, given: Marks['labels']): Marks['labels'] {
  const pool = given[labels.pool] ?? nameOfPool.exec(metadata.name)?.[1]
  const isIsolated = spec.initContainers.some(({ name }) => name === containers.poller)
  const shape = given[labels.shape] ?? (isIsolated ? 'isolated' : 'single')
  return {
    [labels.managedBy]: manager,
    ...(pool !== undefined && { [labels.pool]: pool }),
    [labels.shape]: shape,
  }
}

function isOtherIn(wanted: Marks['labels'], given: Marks['labels']): boolean {
  return Object.entries(wanted).some(([name, value]) => given[name] !== value)
}
