import type { StopOrder, Stopped } from '../../../ports/runner-host.ts'
import type { HostContext } from './context.ts'
import { decideAgain, exactly } from './decide-again.ts'
import { kinds } from './kinds.ts'
import { mayBeSilent } from './look.ts'
import { shapeOf } from './marks.ts'
import type { RunnerPod } from './objects.ts'
import { programOf, stateOf } from './read-pod.ts'

/** Less would not be asking: with none at all the cluster does not wait for the kubelet's word. */
const GRACE_SECONDS_MIN = 1

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
  return decideAgain<Stopped>(context, name, signal, async (pod) => {
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
  const { memory } = context
  const { uid } = pod.metadata
  const writer = context.writer()
  const isFirst = memory.noteOf(uid).stop === undefined
  const { reason, isUnneeded = false } = order
  if (isFirst) memory.note(uid, { stop: reason, isUnneeded }) // who asked first is the reason
  const removed = await writer.remove(kinds.pods, exactly(pod), signal, graceOf(order))
  if (removed === 'removed') return { done: 'asked' } as const
  if (isFirst) memory.forgetStop(uid)
  return removed === 'gone' ? ({ done: 'asked' } as const) : 'conflict'
}

/** A program that may have begun gets the grace of its pod, which is the pool's: it may still have to report its end. */
function graceOf({ graceMs, evenIfStarted }: StopOrder): { readonly gracePeriodSeconds?: number } {
  if (evenIfStarted) return {}
  return { gracePeriodSeconds: Math.max(GRACE_SECONDS_MIN, Math.ceil(graceMs / 1_000)) }
}
