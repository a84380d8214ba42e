import type { StartProblem } from '../../domain/pool/index.ts'

/**
 * Where a problem occurred: at the start of a runner, while it booted, at its end, or when the host was asked for
 * headroom.
 */
type StartProblemSource = 'start' | 'boot' | 'end' | 'room'

/** A stray that may not be stopped: only a person can see whether it hangs. */
export interface LingeringStray {
  readonly name: string
  readonly pool: string
  /** The known facts, and why it is left alone. */
  readonly message: string
}

/** The problems that keep each pool from getting more runners, for the loops that report them. */
export interface StartProblems {
  /** Sets the latest problem from this source; null: it is over. */
  note(pool: string, source: StartProblemSource, problem: StartProblem | null): void
  /** The first problem of a pool, in the order of the sources. */
  of(pool: string): StartProblem | null
  /** Whether no runner of a pool starts: then one at a time is tried, not as many as there are jobs. */
  isStalled(pool: string): boolean
  stall(pool: string, isStalled: boolean): void
  /** Replaces the list of lingering strays. */
  showStrays(strays: readonly LingeringStray[]): void
  straysOf(pool: string): readonly LingeringStray[]
  /** Calls back when the problem or the strays of a pool change. */
  onChange(callback: (pool: string) => void): () => void
}

export function createStartProblems(): StartProblems {
  const bySource = {
    start: new Map<string, StartProblem>(),
    boot: new Map<string, StartProblem>(),
    end: new Map<string, StartProblem>(),
    room: new Map<string, StartProblem>(),
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
    note(pool, source, problem) {
      const before = of(pool)
      if (problem === null) bySource[source].delete(pool)
      else bySource[source].set(pool, sinceBefore(bySource[source].get(pool), problem))
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

/** A problem that occurs again has lasted since it first occurred. */
function sinceBefore(before: StartProblem | undefined, problem: StartProblem): StartProblem {
  return before?.kind === problem.kind ? { ...problem, since: before.since } : problem
}
