import type { Trouble } from '../../domain/pool/index.ts'

/**
 * Where a trouble was met: when a runner was to be started, when it did not get going, in how it ended, or when the
 * host was asked for room.
 */
export type TroubleSource = 'start' | 'boot' | 'end' | 'room'

/** A runner that nobody counts on, and that may not be stopped: only a person can see whether it hangs. */
export interface LingeringStray {
  readonly name: string
  readonly pool: string
  /** What is known of it, and why it is left. */
  readonly message: string
}

/** What keeps each pool from getting more runners, for those who tell people about it. */
export interface TroubleBoard {
  /** The latest from this source; null: it is over. */
  note(pool: string, source: TroubleSource, trouble: Trouble | null): void
  /** The first that there is, in the order of the sources. */
  of(pool: string): Trouble | null
  /** Whether no runner of a pool gets going: then one at a time is tried, not as many as there are jobs. */
  isStalled(pool: string): boolean
  stall(pool: string, isStalled: boolean): void
  /** All of them that there are. */
  showStrays(strays: readonly LingeringStray[]): void
  straysOf(pool: string): readonly LingeringStray[]
  /** Calls back when what is on the board for a pool becomes another. */
  onChange(callback: (pool: string) => void): () => void
}

export function createTroubleBoard(): TroubleBoard {
  const bySource = {
    start: new Map<string, Trouble>(),
    boot: new Map<string, Trouble>(),
    end: new Map<string, Trouble>(),
    room: new Map<string, Trouble>(),
  }
  const callbacks = new Set<(pool: string) => void>()
  const stalled = new Set<string>()
  let strays = new Map<string, readonly LingeringStray[]>()
  const of = (pool: string) => {
    const { start, boot, end, room } = bySource
    return start.get(pool) ?? boot.get(pool) ?? end.get(pool) ?? room.get(pool) ?? null
  }
  return {
    of,
    note(pool, source, trouble) {
      const before = of(pool)
      if (trouble === null) bySource[source].delete(pool)
      else bySource[source].set(pool, sinceBefore(bySource[source].get(pool), trouble))
      const after = of(pool)
      if (before?.kind === after?.kind && before?.message === after?.message) return
      for (const callback of callbacks) callback(pool)
    },
    isStalled: (pool) => stalled.has(pool),
    stall(pool, isStalled) {
      if (isStalled) stalled.add(pool)
      else stalled.delete(pool)
    },
    showStrays(all) {
      const before = strays
      strays = Map.groupBy(all, ({ pool }) => pool)
      for (const pool of new Set([...before.keys(), ...strays.keys()])) {
        if (namesOf(before.get(pool)) === namesOf(strays.get(pool))) continue
        for (const callback of callbacks) callback(pool)
      }
    },
    straysOf: (pool) => strays.get(pool) ?? [],
    onChange(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
  }
}

function namesOf(strays: readonly LingeringStray[] = []): string {
  return strays
    .map(({ name }) => name)
    .sort()
    .join()
}

/** A trouble that is met again has lasted since it was first met. */
function sinceBefore(before: Trouble | undefined, trouble: Trouble): Trouble {
  return before?.kind === trouble.kind ? { ...trouble, since: before.since } : trouble
}
