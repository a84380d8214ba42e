import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Exactly, Same } from '../../../../ports/cluster.ts'
import type { HostContext } from '../context.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { inCache, keyOfRunner, readOwnPod } from '../watch/read-runner.ts'

/** A kubelet that starts a pod writes a handful of states within a second. */
const defaultTriesMax = 6
/** How long the watch may take to show the state that a write met. */
const shownWithinMs = 2_000

export type Step<T> = { readonly done: T } | 'conflict'

/**
 * Decides on a pod as it is seen, acts under exactly that state, and where it was another by then decides again on
 * the newer one. `undefined`: the cluster itself says that there is no such pod.
 */
export async function retryOnConflict<T>(
  context: HostContext,
  name: string,
  signal: AbortSignal,
  act: (pod: RunnerPod | undefined) => Promise<Step<T>>,
): Promise<T> {
  let pod = known(context, name) ?? (await readOwnPod(context, name, signal))
  for (let tries = 1; ; tries += 1) {
    const step = await act(pod)
    if (step !== 'conflict') return step.done
    if (tries === defaultTriesMax) throw changing(context, name)
    pod = await newer(context, name, pod, signal)
  }
}

/** Exactly this state of this pod. */
export function exactly({ metadata }: RunnerPod): Exactly {
  const { name, namespace, uid, resourceVersion } = metadata
  return { name, namespace, uid, resourceVersion }
}

/** This pod, in whatever state it is. */
export function sameAs({ metadata: { name, namespace, uid } }: RunnerPod): Same {
  return { name, namespace, uid }
}

function known(context: HostContext, name: string): RunnerPod | undefined {
  return inCache(context, name) ?? context.state.pendingCreates.get(name)?.pod ?? undefined
}

/** Another state than this one: as the watch brings it, or where it does not, as the cluster says it. */
async function newer(
  context: HostContext,
  name: string,
  than: RunnerPod | undefined,
  signal: AbortSignal,
): Promise<RunnerPod | undefined> {
  const isOther = (pod: RunnerPod | undefined) =>
    pod !== undefined && pod.metadata.resourceVersion !== than?.metadata.resourceVersion
  const shown = Promise.withResolvers<void>()
  const key = keyOfRunner(context, name)
  const unlisten = context.views.pods.onChange((change) => {
    if (change.key === key) shown.resolve()
  })
  const cancel = context.clock.after(shownWithinMs, shown.resolve)
  signal.addEventListener('abort', shown.resolve as () => void, { once: true })
  try {
    if (!isOther(inCache(context, name))) await shown.promise
  } finally {
    cancel()
    unlisten()
    signal.removeEventListener('abort', shown.resolve as () => void)
  }
  const pod = inCache(context, name)
  return isOther(pod) ? pod : readOwnPod(context, name, signal)
}

function changing(context: HostContext, name: string): HoldfastError {
  return new HoldfastError('E_CLUSTER_CONFLICT', {
    call: `a write to pod ${keyOfRunner(context, name)}`,
    reason: `it changed ${defaultTriesMax} times in a row meanwhile`,
  })
}
