import type { Clock } from '../../../../ports/clock.ts'

interface EventsOrder {
  readonly namespace: string
  readonly podUid: string
  readonly deadlineMs: number
}

export interface EventsRead {
  /** As the API gives them. */
  readonly items: readonly Readonly<Record<string, unknown>>[]
  /** Whether there are more than are ever read. */
  readonly isMore: boolean
}

/** Events of the cluster about pods. */
export interface PodEvents {
  /** The events that the cluster has about a pod at the time of the call, or later; throws where they do not come in time. */
  about(order: EventsOrder, signal: AbortSignal): Promise<EventsRead>
}

/** The two ways to ask. */
export interface EventReader {
  /** The events about one pod. */
  one(namespace: string, podUid: string, deadlineMs: number, signal: AbortSignal): Promise<EventsRead>
  /** The events about each of these pods; `too-many`: the namespace has too many to read them all. */
  many(
    namespace: string,
    podUids: readonly string[],
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, EventsRead> | 'too-many'>
}

/** Reads at a time; who asks meanwhile waits for the next one, which is for all of them. */
const readsMax = 2
/** Fewer are asked about one by one. */
const togetherMin = 3

interface Waiter extends EventsOrder {
  readonly answer: (answer: Promise<EventsRead>) => void
}

/**
 * The API server keeps no index of events: for one pod it looks through all of its namespace, some 10 ms for a thousand
 * of them. So those who ask at the same time, as where a node dies, are answered by one read.
 */
export function coalesceReads(reads: EventReader, clock: Pick<Clock, 'after'>): PodEvents {
  const waiting = new Set<Waiter>()
  let reading = 0

  function begin(): void {
    while (reading < readsMax && waiting.size > 0) {
      const batch = nextOf(waiting)
      for (const waiter of batch) waiting.delete(waiter)
      reading += 1
      void read(batch).finally(() => {
        reading -= 1
        begin()
      })
    }
  }

  /** Never rejects: every failure is the answer to those who asked. */
  async function read(batch: readonly Waiter[]): Promise<void> {
    const deadlineMs = Math.max(...batch.map((waiter) => waiter.deadlineMs))
    const overdue = new AbortController()
    const cancel = clock.after(deadlineMs, () => overdue.abort(late(deadlineMs)))
    const one = ({ namespace, podUid }: Waiter) => reads.one(namespace, podUid, deadlineMs, overdue.signal)
    try {
      const found = batch.length < togetherMin ? 'too-many' : await many(batch, deadlineMs, overdue.signal)
      for (const waiter of batch) {
        const answer = found === 'too-many' ? one(waiter) : Promise.resolve(found.get(waiter.podUid) ?? none)
        waiter.answer(answer)
        await answer.catch(() => undefined)
      }
    } catch (error) {
      for (const waiter of batch) waiter.answer(Promise.reject(error))
    } finally {
      cancel()
    }
  }

  function many(batch: readonly Waiter[], deadlineMs: number, signal: AbortSignal) {
    const uids = batch.map(({ podUid }) => podUid)
    return reads.many(batch[0]?.namespace ?? '', uids, deadlineMs, signal)
  }

  return {
    about(order, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<EventsRead>()
      const waiter: Waiter = { ...order, answer: (answer) => void answer.then(resolve, reject) }
      const giveUp = (reason: unknown): void => {
        waiting.delete(waiter)
        reject(reason)
      }
      const abort = (): void => giveUp(signal.reason)
      if (signal.aborted) return Promise.reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      const cancel = clock.after(order.deadlineMs, () => giveUp(late(order.deadlineMs)))
      waiting.add(waiter)
      begin()
      return promise.finally(() => {
        cancel()
        signal.removeEventListener('abort', abort)
      })
    },
  }
}

const none: EventsRead = { items: [], isMore: false }

/** One alone, or all that ask about the namespace of the first. */
function nextOf(waiting: ReadonlySet<Waiter>): readonly Waiter[] {
  const [first] = waiting
  const same = [...waiting].filter(({ namespace }) => namespace === first?.namespace)
  return same.length < togetherMin ? same.slice(0, 1) : same
}

function late(deadlineMs: number): Error {
  return new Error(`they did not come within ${deadlineMs} ms`)
}
