import type { Clock } from '../../../ports/clock.ts'
import type { ClusterObject, ClusterWriter, Exactly, Manifest } from '../../../ports/cluster.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { Log } from '../../../ports/log.ts'
import { apiVersionOf, kinds } from '../client/index.ts'
import { createEventLog, type EventEntry } from './event-log.ts'
import { runnerPools } from './object.ts'
import { timeText } from './status.ts'

/** As much as the API takes. */
const messageCharsMax = 1_024
const reasonCharsMax = 128

export interface EventsDeps {
  readonly namespace: string
  readonly writer: () => ClusterWriter
  /** The UID of a pool or of a runner's pod, where it is known: `kubectl describe` goes by it. */
  readonly uidOf: (about: FleetEvent['about']) => string | undefined
  readonly clock: Clock
  readonly log: Log
}

export interface Events {
  recordEvent(event: FleetEvent): void
  /** Writes the Events until the signal is aborted; at rest it does nothing. */
  run(signal: AbortSignal): Promise<void>
}

/** Kubernetes Events. What cannot be written is lost: nothing depends on it. */
export function createEvents({ namespace, writer, uidOf, clock, log }: EventsDeps): Events {
  const eventLog = createEventLog()
  const standing = new WeakMap<EventEntry, Exactly>()
  let names = 0
  let wake: () => void = () => {}

  async function write(entry: EventEntry, signal: AbortSignal): Promise<void> {
    const target = standing.get(entry)
    if (target !== undefined) {
      const { count, lastAt, message } = entry
      const patch = { count, lastTimestamp: timeText(lastAt), message: message.slice(0, messageCharsMax) }
      const changed = await writer().patch(kinds.events, target, patch, signal)
      if (changed.kind === 'changed') return remember(entry, changed.object)
      standing.delete(entry)
    }
    const created = await writer().create(kinds.events, manifest(entry), signal)
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
      type,
      count,
      reason: reason.slice(0, reasonCharsMax),
      message: message.slice(0, messageCharsMax),
      firstTimestamp: timeText(firstAt),
      lastTimestamp: timeText(lastAt),
      source: { component: 'holdfast' },
      reportingComponent: 'holdfast',
      reportingInstance: '',
    }
  }

  /** Until there may be something to write. */
  async function rest(signal: AbortSignal): Promise<void> {
    const at = eventLog.nextAt(clock.now())
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
    recordEvent(event) {
      if (!eventLog.add(event)) log.debug({ about: event.about, reason: event.reason }, 'an Event is dropped')
      wake()
    },
    async run(signal) {
      while (!signal.aborted) {
        const entry = eventLog.next(clock.now())
        if (entry === null) {
          await rest(signal)
          continue
        }
        // Before it is sent: a repeat meanwhile goes into the next one.
        eventLog.done(entry, clock.now())
        await write(entry, signal).catch((err: unknown) => {
          if (!signal.aborted)
            log.debug({ about: entry.about, reason: entry.reason, err }, 'an Event is lost')
        })
      }
    },
  }
}
