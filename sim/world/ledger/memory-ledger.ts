import { handleBytes, handleFrom } from '../../../src/domain/attempt/index.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import type { Ledger, Wake } from '../../../src/ports/ledger.ts'
import { recordBounded, releaseAct } from './bounded-acts.ts'
import { noteBudget } from './budgets.ts'
import { claim, openAttempt, polled, waiting } from './claiming.ts'
import { noteTime } from './clock.ts'
import { listDecisions } from './decisions.ts'
import {
  listDeliveries,
  pendingDeliveries,
  replayDelivery,
  settleDelivery,
  settling,
  storeDelivery,
} from './deliveries.ts'
import * as dispatch from './dispatch.ts'
import * as ends from './ends.ts'
import { bindIdentity, bindPod, enrolAll, enrolOne, failedStarts } from './enrolling.ts'
import { dropHostSamples, nodeSamples, putHostSamples, readHostSamples } from './host-samples.ts'
import { endLostHosts, type HostBounds, heartbeat, hosts } from './hosts.ts'
import { archive, purge, resealJits } from './housekeeping.ts'
import { incidents, liftIncident, openIncident } from './incidents.ts'
import { installations, openJobIds, retireJob, retireRest } from './installations.ts'
import { jobAtEnd } from './job-at-end.ts'
import { applyJobEvent, putPools } from './job-events.ts'
import { countJobs, jobs, runners } from './lists.ts'
import { routeAgain } from './placing.ts'
import { countPools, queueFacts } from './queue.ts'
import { deathsAfter, findJob, findRunner, jobFile, settledRuns, unusedRegistrations } from './reading.ts'
import * as recovery from './recovery.ts'
import { runnerFile, runnerOfPod } from './runner-file.ts'
import { corrections, endCounts, runnersAlive, sealedEnds } from './sealed-ends.ts'
import { emptyState, type IsServed, type RowName, type State } from './state.ts'
import { type Tx, transact } from './transaction.ts'
import { keyOf } from './unreadable.ts'

/** The defaults of the real ledger. */
const staleQueuedAfterMsDefault = 5 * 60_000
const runningCheckMsDefault = 10 * 60_000
const hostBoundsDefault: HostBounds = { lostAfterMs: 15 * 60_000, steadyMs: 60_000 }

export interface MemoryLedgerOptions {
  readonly clock: Pick<Clock, 'now'>
  /** Gives the handles of adopted attempts. */
  readonly entropy: Pick<Entropy, 'bytes'>
  /** After which time in the queue the forge is asked about a job. */
  readonly staleQueuedAfterMs?: number
  /** When a host is lost; the defaults of the real ledger. */
  readonly hostBounds?: () => HostBounds
  /** The forge installation that is served now; null or absent: all are. */
  readonly serves?: () => string | null
  /** How often recovery looks at a job that runs. */
  readonly runningCheckMs?: number
}

/** The twin lets the simulation's checkers look at its rows after every event. */
export type MemoryLedger = Ledger & {
  readonly rows: Readonly<State>
  /** A newer version writes a row in a way that this one cannot read; the answer makes it readable again. */
  makeUnreadable(of: RowName): () => void
}

/**
 * The ledger's twin for the simulation: rows in maps, every method one synchronous step on the injected clock.
 * The ledger's contract suite holds it equal to Postgres.
 */
export function createMemoryLedger(options: MemoryLedgerOptions): MemoryLedger {
  const { clock, entropy } = options
  const { staleQueuedAfterMs = staleQueuedAfterMsDefault, runningCheckMs = runningCheckMsDefault } = options
  const { serves = () => null, hostBounds = () => hostBoundsDefault } = options
  const isServed: IsServed = (of) => serves() === null || of.installation === serves()
  const state = emptyState()
  const listeners = new Set<(wake: Wake) => void>()
  const nextId = ids()

  const write = <Result>(body: (tx: Tx) => Result): Result => {
    const tx: Tx = { state, now: clock.now(), wakes: [], nextId }
    const result = transact(tx, body)
    for (const wake of tx.wakes) for (const listener of [...listeners]) listener(wake)
    return result
  }
  const context = () => ({
    adoptHandle: handleFrom(entropy.bytes(handleBytes)),
    runningCheckMs,
    staleQueuedAfterMs,
  })

  return {
    rows: state,
    makeUnreadable(of) {
      state.unreadable.set(keyOf(of), of)
      return () => {
        state.unreadable.delete(keyOf(of))
        if (of.kind === 'job') routeAgain(state, of.id)
      }
    },
    now: async () => clock.now(),
    putPools: async (pools, cause, leader = null) => write((tx) => putPools(tx, pools, cause, leader)),
    pools: async () => [...state.pools.values()],
    counts: async () => countPools(state, clock.now(), isServed),

    storeDelivery: async (delivery) => write((tx) => storeDelivery(tx, delivery)),
    pendingDeliveries: async (limit) => pendingDeliveries(state, clock.now(), limit, isServed),
    settleDelivery: async (guid, outcome) => write((tx) => settleDelivery(tx, guid, outcome)),
    deliveries: async (filter) => listDeliveries(state, filter),
    knownDeliveries: async (guids) => new Set(guids.filter((guid) => state.deliveries.has(guid))),
    replayDelivery: async (guid) => write((tx) => replayDelivery(tx, guid)),

    cursor: async (name) => state.cursors.get(name) ?? null,
    moveCursor: async (name, to) =>
      write(() => void state.cursors.set(name, Math.max(to, state.cursors.get(name) ?? to))),
    takeTurn: async (name, costMs, aheadMsMax) =>
      write(({ now }) => {
        const until = Math.max(state.cursors.get(name) ?? now, now) + costMs
        if (until > now + aheadMsMax) return until - now - aheadMsMax
        state.cursors.set(name, until)
        return 0
      }),
    cursors: async (prefix) => new Map([...state.cursors].filter(([name]) => name.startsWith(prefix))),
    moveCursors: async (names, to) =>
      write(() => {
        for (const name of names) state.cursors.set(name, Math.max(to, state.cursors.get(name) ?? to))
      }),
    position: async (name) => state.positions.get(name) ?? 0,
    movePosition: async (name, to) =>
      write(() => void state.positions.set(name, Math.max(to, state.positions.get(name) ?? to))),
    raiseIncident: async (incident, holdMs) => write((tx) => openIncident(tx, incident, holdMs)),
    liftIncident: async (incident) => write((tx) => liftIncident(tx, incident)),
    incidents: async (closedLimit) => incidents(state, closedLimit),
    noteBudget: async (account, reading) => write((tx) => noteBudget(tx, account, reading)),
    budget: async (account) => state.budgets.get(account) ?? null,
    settledRuns: async (installation, since) => settledRuns(state, installation, since),
    unusedRegistrations: async (installation, since) => unusedRegistrations(state, installation, since),

    applyJobEvent: async (event, cause, settles) =>
      write((tx) => settling(tx, applyJobEvent(tx, event, cause, context()), settles)),

    enrol: async (runner, cause) => write((tx) => enrolOne(tx, runner, cause)),
    enrolAll: async (runners, cause, leader) => write((tx) => enrolAll(tx, runners, cause, leader)),
    findRunner: async (name) => findRunner(state, name),
    bindPod: async (runnerId, podUid) => write((tx) => bindPod(tx, runnerId, podUid)),
    bindIdentity: async (runnerId, identityHash) => write((tx) => bindIdentity(tx, runnerId, identityHash)),
    heartbeat: async (host) => write((tx) => heartbeat(tx, host)),
    hosts: async () => hosts(state, clock.now(), hostBounds()),
    endLostHosts: async () => write((tx) => endLostHosts(tx, hostBounds())),
    failedStarts: async (host, withinMs) => failedStarts(state, host, clock.now() - withinMs),
    polled: async (runnerId) => write((tx) => polled(tx, runnerId)),
    waiting: async (runnerIds) => write((tx) => waiting(tx, runnerIds)),
    openAttempt: async (runnerId) => openAttempt(state, runnerId),
    claim: async (runner, handle, deadlineMs) =>
      write((tx) => claim(tx, runner.id, { handle, deadlineMs, isServed })),
    minted: async (handle, forgeRunnerId, jit, deadlineMs) =>
      write((tx) => dispatch.minted(tx, handle, forgeRunnerId, jit, deadlineMs)),
    mintFailed: async (handle, failure) => write((tx) => dispatch.mintFailed(tx, handle, failure)),
    deliver: async (handle, deadlineMs) => write((tx) => dispatch.deliver(tx, handle, deadlineMs)),
    acknowledge: async (handle) => write((tx) => dispatch.acknowledge(tx, handle)),
    registered: async (handle, deadlineMs, cause) =>
      write((tx) => dispatch.registered(tx, handle, deadlineMs, cause)),

    notePastDeadline: async (handle, note, cause) =>
      write((tx) => dispatch.notePastDeadline(tx, handle, note, cause)),
    endAttempt: async (handle, end, cause) => write((tx) => ends.endAttempt(tx, handle, end, cause)),
    closeJob: async (jobId, conclusion, cause) => write((tx) => ends.closeJob(tx, jobId, conclusion, cause)),
    requeueJob: async (jobId, cause) => write((tx) => ends.requeueJob(tx, jobId, cause)),
    release: async (jobId, cause) => write((tx) => ends.release(tx, jobId, cause)),
    installations: async () => installations(state),
    openJobIds: async (installation, limit) => openJobIds(state, installation, limit),
    retireJob: async (jobId, cause) => write((tx) => retireJob(tx, jobId, cause)),
    retireRest: async (installation) => write((tx) => retireRest(tx, installation)),
    fence: async (runnerId, reason, cause) => write((tx) => ends.fence(tx, runnerId, reason, cause)),
    jobAtEnd: async (runnerId) => jobAtEnd(state, runnerId),
    sealDeath: async (runnerId, record, reason, cause) =>
      write((tx) => ends.sealDeath(tx, runnerId, record, reason, cause)),

    deathsAfter: async (evidenceId, limit) => deathsAfter(state, evidenceId, limit),
    ends: async (filter) => sealedEnds(state, filter, clock.now()).slice(0, filter.limit),
    endCounts: async (filter) => endCounts(state, filter, clock.now()),
    corrections: async (runnerIds) => corrections(state, runnerIds),
    runnersAlive: async (limit) => runnersAlive(state, limit),

    due: async (limit, host) =>
      recovery.due(state, clock.now(), limit, { host, isServed, bounds: hostBounds() }),
    subject: async (of) =>
      recovery.subjectOf(state, of, { isServed, now: clock.now(), bounds: hostBounds() }),
    postpone: async (of, delayMs) => write((tx) => recovery.postpone(tx, of, delayMs)),
    recordDecision: async (decision) => write((tx) => recovery.recordDecision(tx, decision)),
    recordBounded: async (decision, act, bounds) => write((tx) => recordBounded(tx, decision, act, bounds)),
    releaseAct: async (decisionId) => write((tx) => releaseAct(tx, decisionId)),
    recordOutcome: async (decisionId, outcome) =>
      write((tx) => recovery.recordOutcome(tx, decisionId, outcome)),
    decisions: async (filter) => listDecisions(state, filter, clock.now()),

    jobFile: async (jobId) => jobFile(state, jobId),
    runnerFile: async (name) => runnerFile(state, name),
    runnerOfPod: async (podUid) => runnerOfPod(state, podUid),
    findJob: async (installation, forgeJobId) => findJob(state, installation, forgeJobId),
    jobs: async (filter) => jobs(state, filter, clock.now()),
    countJobs: async (conditions, max) => countJobs(state, conditions, max, clock.now()),
    runners: async (endedLimit, filter) => runners(state, endedLimit, filter),
    queueFacts: async (jobId) => {
      const job = state.jobs.get(jobId)
      return job === undefined ? null : queueFacts(state, job, clock.now(), isServed)
    },

    resealJits: async (reseal, limit) => write((tx) => resealJits(tx, reseal, limit)),
    archive: async (olderThanMs, limit) => write((tx) => archive(tx, olderThanMs, limit)),
    noteTime: async () => write(noteTime),
    setAside: async () => [], // what is in memory can always be moved
    purge: async (olderThanMs, limit) => write((tx) => purge(tx, olderThanMs, limit)),

    putHostSamples: async (samples) => write((tx) => putHostSamples(tx, samples)),
    hostSamples: async (of) => readHostSamples(state, of),
    dropHostSamples: async (bounds) => write((tx) => dropHostSamples(tx, bounds)),
    nodeSamples: async (within) => nodeSamples(state, within, clock.now()),

    onWake: (callback) => {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
  }
}

function ids(): (table: string) => number {
  const last = new Map<string, number>()
  return (table) => {
    const id = (last.get(table) ?? 0) + 1
    last.set(table, id)
    return id
  }
}
