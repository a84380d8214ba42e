import type { PodEvent } from '../../../../domain/death/index.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import { redactText } from '../../../../domain/redact/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import { type EventsRead, instantOf, parseObject } from '../../client/index.ts'
import type { HostContext } from '../context.ts'
import { type PodWarning, type RunnerPod, toPodWarning } from '../objects/objects.ts'

/** The newest are kept: they are about the end. */
const eventsMax = 30
const messageCharsMax = 300
const wordCharsMax = 100

export interface EndEvents {
  /** Oldest first. */
  readonly events: readonly PodEvent[]
  readonly missing: readonly string[]
}

/** The warnings about a pod in the cache, which say more than its status. Costs the cluster nothing. */
export function eventsInView({ views }: Pick<HostContext, 'views'>, pod: RunnerPod): readonly PodEvent[] {
  return newest(views.warnings.by('pod', pod.metadata.uid).value)
}

/** Reads the events that the cluster still has about a pod; falls back to the cache where that fails. */
export async function readEvents(
  context: HostContext,
  pod: RunnerPod,
  until: Instant,
  signal: AbortSignal,
): Promise<EndEvents> {
  const { namespace = '', uid } = pod.metadata
  const deadlineMs = Math.max(1, until - context.clock.now())
  try {
    return eventsIn(await context.events.about({ namespace, podUid: uid, deadlineMs }, signal))
  } catch (error) {
    if (signal.aborted) throw error
    const reason = reasonOf(error)
    return { events: eventsInView(context, pod), missing: [`its events: ${reason}`] }
  }
}

/** The part of the events that a death record keeps. */
export function eventsIn({ items, isMore }: EventsRead): EndEvents {
  const events = newest(items.flatMap((item) => parseObject(item, toPodWarning) ?? []))
  return { events, missing: isMore ? ['some of its events: there are too many'] : [] }
}

function newest(found: readonly PodWarning[]): PodEvent[] {
  const events = found.map(
    ({ type, reason, message, count, firstAt, lastAt, container }): PodEvent => ({
      type: type.slice(0, wordCharsMax),
      reason: reason.slice(0, wordCharsMax),
      count,
      message: redactText(message, messageCharsMax),
      firstAt: instantOf(firstAt),
      lastAt: instantOf(lastAt),
      ...(container !== undefined && { container }),
    }),
  )
  events.sort((a, b) => (a.lastAt ?? 0) - (b.lastAt ?? 0))
  return events.slice(-eventsMax)
}
