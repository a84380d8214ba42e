import type { Ending } from '../../src/domain/death/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { RunnerHost, RunnerStart } from '../../src/ports/runner-host.ts'
import type { History } from './history.ts'
import type { Mortal } from './mortal.ts'
import { liveAsRunner, type RunnerWorld } from './runner.ts'

interface Hosted {
  readonly start: RunnerStart
  readonly startedAt: Instant
  stopReason: string | null
  ending: Ending | null
}

export interface HostTwin extends RunnerHost {
  /** Runners whose process lives now. */
  living(): readonly Mortal[]
}

/** The RunnerHost port in memory: it outlives every process of Holdfast, as a machine does. */
export function createHostTwin(id: string, world: RunnerWorld & { readonly history: History }): HostTwin {
  const hosted = new Map<string, Hosted>()
  const mortals = new Map<string, Mortal>()
  const listeners = new Set<(name: string) => void>()
  const { scheduler, history } = world

  function mortalOf(name: string): Mortal {
    const entry = hosted.get(name) as Hosted
    return {
      name,
      get alive() {
        return entry.ending === null
      },
      end(exitCode, signal) {
        if (entry.ending !== null) return
        entry.ending = endingOf(entry, exitCode, signal, scheduler.now())
        mortals.delete(name)
        history.note(name, `ended with ${signal ?? exitCode}`)
        for (const listener of listeners) scheduler.after(50, () => listener(name))
      },
    }
  }

  return {
    id,
    living: () => [...mortals.values()],
    async start(start) {
      if (hosted.has(start.name)) return
      hosted.set(start.name, { start, startedAt: scheduler.now(), stopReason: null, ending: null })
      const mortal = mortalOf(start.name)
      mortals.set(start.name, mortal)
      history.note(start.name, 'started')
      liveAsRunner(mortal, start.secret, world)
    },
    async list() {
      return [...hosted.values()].map((entry) => ({
        name: entry.start.name,
        pool: entry.start.pool,
        state: entry.ending === null ? ('running' as const) : ('exited' as const),
        startedAt: entry.startedAt,
      }))
    },
    ending: async (name) => hosted.get(name)?.ending ?? null,
    async stop(name, reason) {
      const entry = hosted.get(name)
      if (entry === undefined || entry.ending !== null) return
      entry.stopReason = reason
      world.onStop(name)
      mortals.get(name)?.end(null, 'SIGTERM')
    },
    async release(name) {
      if (hosted.get(name)?.ending === null) throw new Error(`${name} is released while it lives`)
      hosted.delete(name)
    },
    onEnd(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
  }
}

function endingOf(entry: Hosted, exitCode: number | null, signal: string | null, now: Instant): Ending {
  return {
    exitCode,
    signal,
    startedAt: entry.startedAt,
    endedAt: now,
    tail: '',
    oomKills: 0,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: entry.stopReason,
    missing: [],
  }
}
