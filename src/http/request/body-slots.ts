import type { Clock } from '../../ports/clock.ts'

export interface BodySlotOptions {
  /** All bodies that are being read may have so many bytes together, by what they announce. */
  readonly bytesMax: number
  /** A body that is not there by then is given up. */
  readonly deadlineMs: number
  readonly clock: Pick<Clock, 'after'>
}

/** A place to read one body in; the signal aborts when it is taken away. */
export interface BodySlot {
  readonly signal: AbortSignal
  release(): void
}

/** Bounds how many unproven bodies are in memory, without letting slow senders keep others out. */
export interface BodySlots {
  /** `bytes`: how long the body may become. */
  take(source: string, bytes: number): BodySlot
}

interface Held {
  readonly source: string
  readonly bytes: number
  readonly control: AbortController
}

/**
 * Whoever comes gets a slot. Where the bound is reached, the sender that holds the most loses its oldest: a genuine body
 * arrives within milliseconds, and only those who hold much open for long lose any.
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

/** A set keeps the order in which its members came. */
function oldestOfGreediest(held: ReadonlySet<Held>): Held {
  const bySource = new Map<string, number>()
  for (const { source, bytes } of held) bySource.set(source, (bySource.get(source) ?? 0) + bytes)
  const most = Math.max(...bySource.values())
  return [...held].find(({ source }) => bySource.get(source) === most) as Held
}
