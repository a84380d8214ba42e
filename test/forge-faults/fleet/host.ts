import type { Ending } from '../../../src/domain/death/index.ts'
import type { HostedRunner, RunnerHost, RunnerStart } from '../../../src/ports/runner-host.ts'
import { type LifeEnd, live, type Surroundings } from './live.ts'

interface Hosted {
  readonly start: RunnerStart
  readonly startedAt: number
  readonly stop: AbortController
  stopReason: string | null
  ending: Ending | null
}

/**
 * The RunnerHost port for thousands of runners on a small machine: each is a conversation over HTTP with Holdfast
 * and with the forge instead of a process with one.
 */
export function createFleetHost(id: string, surroundings: Surroundings): RunnerHost {
  const hosted = new Map<string, Hosted>()
  const listeners = new Set<(name: string) => void>()
  const { clock } = surroundings

  const run = async (entry: Hosted): Promise<void> => {
    const end = await live(entry.start, surroundings, entry.stop.signal)
    entry.ending = endingOf(entry, end, clock.now())
    for (const listener of listeners) listener(entry.start.name)
  }
  return {
    id,
    async start(start) {
      if (hosted.has(start.name)) return { kind: 'started' }
      const entry: Hosted = {
        start,
        startedAt: clock.now(),
        stop: new AbortController(),
        stopReason: null,
        ending: null,
      }
      hosted.set(start.name, entry)
      void run(entry)
      return { kind: 'started' }
    },
    list: async () => [...hosted.values()].map(viewOf),
    async find(name) {
      const entry = hosted.get(name)
      return entry === undefined ? null : viewOf(entry)
    },
    uidOf: () => undefined,
    ending: async (name) => hosted.get(name)?.ending ?? null,
    evidenceDeadlineMs: () => 60_000,
    async stop(name, { reason, onlyIfWaiting = false }) {
      const entry = hosted.get(name)
      if (entry === undefined || entry.ending !== null) return 'asked'
      if (onlyIfWaiting) return 'refused'
      entry.stopReason = reason
      entry.stop.abort(new Error(reason))
      return 'asked'
    },
    async release(name) {
      if (hosted.get(name)?.ending === null) throw new Error(`${name} is released while it lives`)
      hosted.delete(name)
    },
    async abandon(name) {
      if (hosted.get(name)?.ending === null)
        throw new Error(`${name} is abandoned, and its machine is this one`)
      hosted.delete(name)
    },
    protect: async () => undefined,
    template: () => null,
    headroom: async () => ({ more: null, problem: null }),
    nodes: async () => [],
    onChange(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
  }
}

function viewOf({ start, startedAt, ending }: Hosted): HostedRunner {
  return {
    name: start.name,
    pool: start.pool,
    state: ending === null ? 'running' : 'exited',
    startedAt,
    program: 'unknown',
    template: null,
    node: null,
    problem: null,
    leavingSince: null,
    silentSince: null,
    isProtected: true,
    exitedAt: ending?.endedAt ?? null,
  }
}

function endingOf(entry: Hosted, { exitCode, signal }: LifeEnd, now: number): Ending {
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
    pod: null,
    missing: [],
  }
}
