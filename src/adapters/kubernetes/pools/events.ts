import type { Clock } from '../../../ports/clock.ts'
import type { ClusterObject, ClusterWriter, Exactly, Manifest, ObjectKind } from '../../../ports/cluster.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { Log } from '../../../ports/log.ts'
import { apiVersionOf } from '../paths.ts'
import { createEventLog, type EventEntry } from './event-log.ts'
import { runnerPools } from './object.ts'
import { timeText } from './status.ts'

const events: ObjectKind = { group: '', version: 'v1', plural: 'events', kind: 'Event', isNamespaced: true }
/** As much as the API takes. */
const MESSAGE_CHARS_MAX = 1_024
const REASON_CHARS_MAX = 128

export interface EventsDeps {
  readonly namespace: string
  readonly writer: () => ClusterWriter
  /** The UID of a pool or of a runner's pod, where it is known: `kubectl describe` goes by it. */
  readonly uidOf: (about: FleetEvent['about']) => string | undefined
  readonly clock: Clock
  readonly log: Log
}

export interface Events {
  tell(event: FleetEvent): void
  /** Writes what is told until the signal is aborted; at rest it does nothing. */
  run(signal: AbortSignal): Promise<void>
}

/** Kubernetes Events. What cannot be written is lost: nothing depends on it. */
export function createEvents({ namespace, writer, uidOf, clock, log }: EventsDeps): Events {
  const told = createEventLog()
  const standing = new WeakMap<EventEntry, Exactly>()
  let names = 0
  let wake: () => void = () => {}

  async function write(entry: EventEntry, signal: AbortSignal): Promise<void> {
    const target = standing.get(entry)
    if (target !== undefined) {
      const { count, lastAt, message } = entry
      const patch = { count, lastTimestamp: timeText(lastAt), message: message.slice(0, MESSAGE_CHARS_MAX) }
      const changed = await writer().patch(events, target, patch, signal)
      if (changed.kind === 'changed') return remember(entry, changed.object)
      standing.delete(entry)
    }
    const created = await writer().create(events, manifest(entry), signal)
    if (created.kind === 'created') remember(entry, created.object)
  }

  function remember(entry: EventEntry, { metadata: { name, uid, resourceVersion } }: ClusterObject): void {
    standing.set(entry, { name, namespace, uid, resourceVersion })
  }

  function manifest(entry: EventEntry): Manifest {
    const { about, type, reason, message, count, firstAt, lastAt } = entry
    const apiVersion = about.kind === 'pool' ? apiVersionOf(runnerPools) : 'v1'
    const kind = about.kind === 'pool' ? runnerPools.kind : 'Pod'
    const uid = uidOf(about)
    names += 1
    return {
      metadata: { name: `${about.name}.${firstAt.toString(16)}${names.toString(16)}`, namespace },
      involvedObject: { apiVersion, kind, name: about.name, namespace, ...(uid !== undefined && { uid }) },
      ...{ type, count, reason: reason.slice(0, REASON_CHARS_MAX) },
      message: message.slice(0, MESSAGE_CHARS_MAX),
      firstTimestamp: timeText(firstAt),
      lastTimestamp: timeText(lastAt),
      source: { component: 'holdfast' },
      reportingComponent: 'holdfast',
      reportingInstance: '',
    }
  }

  /** Until there may be something to write. */
  async function rest(signal: AbortSignal): Promise<void> {
    const at = told.nextAt(clock.now())
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = at === null ? () => {} : clock.after(Math.max(1, at - clock.now()), resolve)
    const end = () => resolve()
    wake = end
    signal.addEventListener('abort', end)
    await promise
    signal.removeEventListener('abort', end)
    stop()
  }

  return {
    tell(event) {
      if (!told.add(event)) log.debug({ about: event.about, reason: event.reason }, 'an Event is not told')
      wake()
    },
    async run(signal) {
      while (!signal.aborted) {
        const entry = told.next(clock.now())
        if (entry === null) {
          await rest(signal)
          continue
        }
        // Before it is sent: what happens meanwhile is told by the next one.
        told.done(entry, clock.now())
        await write(entry, signal).catch((err: unknown) => {
          if (!signal.aborted)
            log.debug({ about: entry.about, reason: entry.reason, err }, 'an Event is lost')
        })
      }
    },
  }
}
