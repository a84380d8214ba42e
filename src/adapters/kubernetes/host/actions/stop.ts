import type { StopOrder, Stopped } from '../../../../ports/runner-host.ts'
import { kinds } from '../../client/index.ts'
import type { HostContext } from '../context.ts'
import { shapeOf } from '../objects/marks.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { programOf, stateOf } from '../status/runner-status.ts'
import { mayBeSilent } from '../watch/read-runner.ts'
import { exactly, retryOnConflict } from './retry-on-conflict.ts'

/** Less would not be asking: with none at all the cluster does not wait for the kubelet's word. */
const graceSecondsMin = 1

/**
 * Asks a pod to go: one delete, under the very state that shows that its program has not started (I4). Why is kept in
 * memory only: a second write to each idle runner would double the cost of letting a thousand go, and the ledger has
 * the reason of its fence, which was written first and outlives us.
 */
export async function stopPod(
  context: HostContext,
  name: string,
  order: StopOrder,
  signal: AbortSignal,
): Promise<Stopped> {
  return retryOnConflict<Stopped>(context, name, signal, async (pod) => {
    if (pod === undefined || stateOf(pod) === 'exited') return { done: 'asked' }
    if (!order.evenIfStarted && !isIdle(context, pod, order)) return { done: 'refused' }
    if (pod.metadata.deletionTimestamp !== undefined) return { done: 'asked' }
    return remove(context, pod, order, signal)
  })
}

/** In the single shape nothing in the pod can prove it: there the fence in the ledger alone does. */
function isIdle(context: HostContext, pod: RunnerPod, { onlyIfWaiting = false }: StopOrder): boolean {
  const program = programOf(pod, mayBeSilent(context, pod))
  return program === 'waiting' || (program === 'unknown' && shapeOf(pod) === 'single' && !onlyIfWaiting)
}

async function remove(context: HostContext, pod: RunnerPod, order: StopOrder, signal: AbortSignal) {
  const { state } = context
  const { uid } = pod.metadata
  const writer = context.writer()
  const isFirst = state.noteOf(uid).stop === undefined
  const { reason, isUnneeded = false } = order
  if (isFirst) state.note(uid, { stop: reason, isUnneeded }) // who asked first is the reason
  const removed = await writer.remove(kinds.pods, exactly(pod), signal, graceOf(order))
  if (removed === 'removed') return { done: 'asked' } as const
  if (isFirst) state.forgetStop(uid)
  return removed === 'gone' ? ({ done: 'asked' } as const) : 'conflict'
}

/** A program that may have begun gets the grace of its pod, which is the pool's: it may still have to report its end. */
function graceOf({ graceMs, evenIfStarted }: StopOrder): { readonly gracePeriodSeconds?: number } {
  if (evenIfStarted) return {}
  return { gracePeriodSeconds: Math.max(graceSecondsMin, Math.ceil(graceMs / 1_000)) }
}
