import type { Clock } from '../../ports/clock.ts'

export interface BodySlotOptions {
  /** Bound on the announced bytes of all bodies that are being read. */
  readonly bytesMax: number
  /** A body that has not arrived by then is given up. */
  readonly deadlineMs: number
  readonly clock: Pick<Clock, 'after'>
}

/** The right to read one body; the signal aborts when the slot is revoked. */
interface BodySlot {
  readonly signal: AbortSignal
  release(): void
}

/** Bounds how many unproven bodies are in memory, without letting slow senders keep others out. */
export interface BodySlots {
  /** `bytes`: the greatest length of the body. */
  take(source: string, bytes: number): BodySlot
}

interface Held {
  readonly source: string
  readonly bytes: number
  readonly control: AbortController
}

/**
 * Every sender gets a slot. At the bound, the sender that holds the most bytes loses its oldest slot: a genuine body arrives
 * within milliseconds, and only senders that hold many bytes for long lose any.
 */
export function createBodySlots({ bytesMax, deadlineMs, clock }: BodySlotOptions): BodySlots {
  const held = new Set<Held>()
  let bytesHeld = 0
  const release = (one: Held): void => {
    if (held.delete(one)) bytesHeld -= one.bytes
  }
  return {
    take(source, bytes) {
      while (held.size > 0 && bytesHeld + bytes > bytesMax) {
        const oldest = oldestOfGreediest(held)
        release(oldest)
        oldest.control.abort()
      }
      const mine: Held = { source, bytes, control: new AbortController() }
      held.add(mine)
      bytesHeld += bytes
      const cancel = clock.after(deadlineMs, () => mine.control.abort())
      return {
        signal: mine.control.signal,
        release() {
          cancel()
          release(mine)
        },
      }
    },
  }
}

/** The oldest slot of the sender that holds the most; a set keeps insertion order. */
function oldestOfGreediest(held: ReadonlySet<Held>): Held {
  const bySource = new Map<string, number>()
  for (const { source, bytes } of held) bySource.set(source, (bySource.get(source) ?? 0) + bytes)
  const most = Math.max(...bySource.values())
  return [...held].find(({ source }) => bySource.get(source) === most) as Held
}
