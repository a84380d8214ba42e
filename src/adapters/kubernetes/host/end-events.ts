import type { PodEvent } from '../../../domain/death/index.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import type { EventsRead } from '../pod-events.ts'
import { objectOf } from '../reflector/objects.ts'
import type { HostContext } from './context.ts'
import { keepWarning, type PodWarning, type RunnerPod } from './objects.ts'
import { instantOf } from './times.ts'

/** The newest are kept: they tell of the end. */
const EVENTS_MAX = 30
const MESSAGE_CHARS_MAX = 300
const WORD_CHARS_MAX = 100

export interface EndEvents {
  /** Oldest first. */
  readonly events: readonly PodEvent[]
  readonly missing: readonly string[]
}

/** What the view holds about a pod: warnings that say what a pod does not say itself. Costs the cluster nothing. */
export function eventsInView({ views }: Pick<HostContext, 'views'>, pod: RunnerPod): readonly PodEvent[] {
  return newest(views.warnings.by('pod', pod.metadata.uid).value)
}

/** What the cluster still has about a pod, in one read; what the view holds where that fails. */
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
    const reason = error instanceof Error ? error.message : String(error)
    return { events: eventsInView(context, pod), missing: [`its events: ${reason}`] }
  }
}

/** What is kept of events as the cluster gave them. */
export function eventsIn({ items, isMore }: EventsRead): EndEvents {
  const events = newest(items.flatMap((item) => objectOf(item, keepWarning) ?? []))
  return { events, missing: isMore ? ['some of its events: there are too many'] : [] }
}

function newest(found: readonly PodWarning[]): PodEvent[] {
  const events = found.map(
    ({ type, reason, message, count, firstAt, lastAt, container }): PodEvent => ({
      ...{ type: type.slice(0, WORD_CHARS_MAX), reason: reason.slice(0, WORD_CHARS_MAX), count },
      message: redactText(message, MESSAGE_CHARS_MAX),
      ...{ firstAt: instantOf(firstAt), lastAt: instantOf(lastAt) },
      ...(container !== undefined && { container }),
    }),
  )
  events.sort((a, b) => (a.lastAt ?? 0) - (b.lastAt ?? 0))
  return events.slice(-EVENTS_MAX)
}
