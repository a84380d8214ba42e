import { createForgeCore } from '../../sim/forge/core/index.ts'
import { createForgeTwin } from '../../sim/world/forge.ts'
import { createMemoryLedger } from '../../sim/world/ledger/index.ts'
import { createRandom } from '../../sim/world/random.ts'
import { plainSecrets, plainVault } from '../../sim/world/twins.ts'
import { createSharedBudget } from '../../src/budget/index.ts'
import { createStartProblems } from '../../src/controllers/pool/start-problems.ts'
import type { Ending } from '../../src/domain/death/index.ts'
import type { StartProblem } from '../../src/domain/pool/index.ts'
import { recoveryBounds } from '../../src/domain/recovery/index.ts'
import type { Runner } from '../../src/domain/runner/index.ts'
import { createKeyedMutex } from '../../src/loop/index.ts'
import type { ForgeDeliveries, SentDelivery } from '../../src/ports/forge-deliveries.ts'
import type { Leader } from '../../src/ports/ledger.ts'
import type { Metrics } from '../../src/ports/metrics.ts'
import type { Headroom, HostedRunner, HostNode, RunnerHost } from '../../src/ports/runner-host.ts'
import { createRedeliveryMemory } from '../../src/recovery/index.ts'
import { recordedLog } from './machine.ts'
import { aPool } from './rows.ts'

export const cause = { source: 'operator' } as const
export const never = new AbortController().signal
export const hostId = 'host-1'
export const exited: Ending = {
  exitCode: 137,
  signal: null,
  startedAt: 1,
  endedAt: 2,
  tail: 'its last words',
  oomKills: 0,
  memoryPeakBytes: null,
  memoryLimitBytes: null,
  samples: [],
  stopRequestedBy: null,
  pod: null,
  missing: [],
}

/** A host whose runners the test puts there, and that writes down what it is asked to do. */
export interface ScriptedHost extends RunnerHost {
  readonly runners: Map<string, HostedRunner['state']>
  /** Fields of some of them that differ from the default. */
  readonly facts: Map<string, Partial<HostedRunner>>
  readonly calls: string[]
  /** By name; none: nothing distinguishes it from another of its name. */
  readonly uids: Map<string, string>
  /** By pool; none: it never changes. */
  readonly templates: Map<string, string>
  /** By pool; none: there is no bound. */
  readonly rooms: Map<string, Headroom>
  readonly nodeList: HostNode[]
  /** Why the next starts are refused; null: they are not. */
  refusal: StartProblem | null
  /** Calls the listeners: something about a runner changed. */
  change(name: string): void
}

function scriptedHost(): ScriptedHost {
  const runners = new Map<string, HostedRunner['state']>()
  const facts = new Map<string, Partial<HostedRunner>>()
  const templates = new Map<string, string>()
  const rooms = new Map<string, Headroom>()
  const listeners = new Set<(name: string) => void>()
  const calls: string[] = []
  const hosted = (name: string): HostedRunner | null => {
    const state = runners.get(name)
    return state === undefined ? null : { ...plainHosted(name), state, ...facts.get(name) }
  }
  const forget = (name: string) => {
    runners.delete(name)
    facts.delete(name)
  }
  const host: ScriptedHost = {
    id: hostId,
    runners,
    facts,
    calls,
    templates,
    rooms,
    nodeList: [],
    uids: new Map(),
    refusal: null,
    async start({ name, pool }) {
      if (host.refusal !== null) return { kind: 'refused', problem: host.refusal }
      calls.push(`start ${name}`)
      runners.set(name, 'running')
      facts.set(name, { pool, template: templates.get(pool) ?? null, ...facts.get(name) })
      return { kind: 'started' }
    },
    list: async () => [...runners.keys()].map(hosted).filter((runner) => runner !== null),
    find: async (name) => hosted(name),
    uidOf: (name) => host.uids.get(name),
    ending: async (name) => (runners.get(name) === 'exited' ? exited : null),
    evidenceDeadlineMs: () => 60_000,
    async stop(name, { reason, evenIfStarted, onlyIfWaiting = false }) {
      const program = hosted(name)?.program
      if (!evenIfStarted && (program === 'started' || (onlyIfWaiting && program === 'unknown')))
        return 'refused'
      calls.push(`stop ${name}: ${reason}`)
      return 'asked'
    },
    async release(name) {
      calls.push(`release ${name}`)
      forget(name)
    },
    async abandon(name) {
      calls.push(`abandon ${name}`)
      forget(name)
    },
    async protect(name, job) {
      calls.push(job == null ? `protect ${name}` : `protect ${name}: ${job.repository} ${job.forgeJobId}`)
      facts.set(name, { ...facts.get(name), isProtected: true })
    },
    template: (pool) => templates.get(pool) ?? null,
    headroom: async (pool) => rooms.get(pool) ?? { more: null, problem: null },
    nodes: async () => [...host.nodeList],
    onChange(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    change(name) {
      for (const callback of listeners) callback(name)
    },
  }
  return host
}

function plainHosted(name: string): HostedRunner {
  return {
    name,
    pool: 'linux',
    state: 'running',
    startedAt: 1,
    program: 'unknown',
    template: null,
    node: null,
    problem: null,
    leavingSince: null,
    silentSince: null,
    isProtected: false,
    exitedAt: null,
  }
}

/** Counters that tests read, as `name{label,…}`. */
export interface CountedMetrics extends Metrics {
  readonly counts: Map<string, number>
  /** Observations of histograms, by name. */
  readonly observed: Map<string, number[]>
}

function countedMetrics(): CountedMetrics {
  const counts = new Map<string, number>()
  const observed = new Map<string, number[]>()
  return {
    counts,
    observed,
    count(name, labels, by = 1) {
      const key = `${name}{${Object.values(labels).join(',')}}`
      counts.set(key, (counts.get(key) ?? 0) + by)
    },
    set() {},
    observe: (name, _, value) => void observed.set(name, [...(observed.get(name) ?? []), value]),
  }
}

/** The forge's list of its webhooks, which the test fills; what is asked for again is written down. */
export interface ScriptedDeliveries extends ForgeDeliveries {
  readonly sent: SentDelivery[]
  readonly asked: string[]
}

function scriptedDeliveries(): ScriptedDeliveries {
  const sent: SentDelivery[] = []
  const asked: string[] = []
  return {
    sent,
    asked,
    sentSince: async (since) => sent.filter(({ sentAt }) => sentAt >= since).toReversed(),
    async sendAgain(id) {
      asked.push(id)
      return 'asked'
    },
  }
}

/** The simulation's twins on a clock that stands still until the test moves it. */
export async function createControlBench() {
  let now = Date.UTC(2026, 0, 1)
  const timers = new Set<{ at: number; callback: () => void }>()
  const clock = {
    now: () => now,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    after(delayMs: number, callback: () => void) {
      const timer = { at: now + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const random = createRandom(1)
  const core = createForgeCore({ entropy: random.fork('forge') })
  const ledger = createMemoryLedger({ clock, entropy: random.fork('ledger') })
  await ledger.putPools([aPool()], cause)
  const metrics = countedMetrics()
  const log = recordedLog()
  return {
    installation: 'sim',
    clock,
    core,
    ledger,
    entropy: random,
    forge: createForgeTwin(core, 'sim', clock.now),
    deliveries: scriptedDeliveries(),
    budget: createSharedBudget({ ledger, clock, metrics, log, installation: 'sim' }),
    memory: createRedeliveryMemory(),
    host: scriptedHost(),
    vault: plainVault,
    secrets: plainSecrets(random.fork('secrets')),
    leader: (): Leader | null => null,
    startProblems: createStartProblems(),
    runnerMutex: createKeyedMutex(),
    quarantine: {
      avoided: (): readonly string[] => [],
      placing: () => ({ avoidNodes: [], unwantedNodes: [] }),
    },
    metrics,
    log,
    stopGraceMs: 1_000,
    bounds: recoveryBounds,
    startDeadlineMs: 60_000,
    async advance(byMs: number): Promise<void> {
      now += byMs
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.callback()
      }
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** A job that the forge has queued, and that the ledger has. */
    async queue(repository = 'acme/web'): Promise<number> {
      const jobs = [{ name: 'test', labels: ['self-hosted'], script: 'true' }]
      core.submit({ repository, workflow: 'ci', jobs }, now)
      for (const webhook of core.takeWebhooks()) void webhook
      const listed = await this.forge.listJobs(
        { installation: 'sim', since: 0, settledRuns: new Set() },
        never,
      )
      const results = await Promise.all(listed.events.map((event) => ledger.applyJobEvent(event, cause)))
      const job = results.at(-1)
      if (job === undefined || job.kind === 'foreign') throw new Error('the job was not inserted')
      return job.jobId
    },
    async runner(name = 'linux-0001'): Promise<Runner> {
      const row = { name, pool: 'linux', host: hostId, identityHash: 'hash', bootDeadlineMs: 60_000 }
      return ledger.enrol(row, cause)
    },
  }
}

export type ControlBench = Awaited<ReturnType<typeof createControlBench>>
