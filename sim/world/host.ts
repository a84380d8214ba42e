import type { Ending } from '../../src/domain/death/index.ts'
import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { HostedRunner, RunnerHost, RunnerStart } from '../../src/ports/runner-host.ts'
import type { History } from './history.ts'
import type { Mortal } from './mortal.ts'
import { liveAsRunner, type RunnerWorld } from './runner.ts'

interface Hosted {
  readonly start: RunnerStart
  readonly startedAt: Instant
  stopReason: string | null
  /** Its poller has a job and started the program that runs it. */
  hasBegun: boolean
  ending: Ending | null
}

const evidenceDeadlineMs = 60_000

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
      async handOver() {
        entry.hasBegun = true
      },
      end(exitCode, signal) {
        if (entry.ending !== null) return
        if (exitCode !== 0) world.onFall(name)
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
      if (hosted.has(start.name)) return { kind: 'started' }
      hosted.set(start.name, {
        start,
        startedAt: scheduler.now(),
        stopReason: null,
        hasBegun: false,
        ending: null,
      })
      const mortal = mortalOf(start.name)
      mortals.set(start.name, mortal)
      history.note(start.name, 'started')
      liveAsRunner(mortal, start.secret, world)
      return { kind: 'started' }
    },
    list: async () => [...hosted.values()].map(viewOf),
    async find(name) {
      const entry = hosted.get(name)
      return entry === undefined ? null : viewOf(entry)
    },
    uidOf: () => undefined,
    ending: async (name) => hosted.get(name)?.ending ?? null,
    evidenceDeadlineMs: () => evidenceDeadlineMs,
    async stop(name, { reason, evenIfStarted }) {
      const entry = hosted.get(name)
      if (entry === undefined || entry.ending !== null) return 'asked'
      if (entry.hasBegun && !evenIfStarted) return 'refused'
      entry.stopReason = reason
      world.onStop(name)
      mortals.get(name)?.end(null, 'SIGTERM')
      return 'asked'
    },
    async release(name) {
      if (hosted.get(name)?.ending === null) throw new HoldfastError('E_RUNNER_ALIVE', { name, pids: ['it'] })
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

function viewOf(entry: Hosted): HostedRunner {
  return {
    name: entry.start.name,
    pool: entry.start.pool,
    state: entry.ending === null ? 'running' : 'exited',
    startedAt: entry.startedAt,
    program: entry.hasBegun ? 'started' : 'waiting',
    template: null,
    node: null,
    problem: null,
    leavingSince: null,
    silentSince: null,
    isProtected: true,
    exitedAt: entry.ending?.endedAt ?? null,
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
    pod: null,
    missing: [],
  }
}
