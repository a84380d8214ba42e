import type { Pool, StartProblem } from '../../../domain/pool/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { createReconciler, type Loop, type ReconcileResult } from '../../../loop/index.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import type { LivenessDeps } from './deps.ts'
import { giveUp } from './give-up.ts'
import { givenUpAt } from './patience.ts'
import { createStalls, type Stalls } from './stalls.ts'

const resyncEveryMs = 60_000
/** How soon a runner of a stalled pool is reconciled again: the first one that starts ends the stall. */
const stalledLookMs = 5_000

interface LivenessState {
  /** Since when each runner is in its present place: waiting for a node, or on one. */
  readonly places: Map<string, { readonly isPlaced: boolean; readonly since: Instant }>
  pools: ReadonlyMap<string, Pool>
  readonly stalls: Stalls
}

/**
 * Gives up runners that do not start: a runner that has not polled by the deadlines of its pool is fenced, stopped and
 * sealed with the reason, and the pool reports it.
 */
export function livenessLoop(deps: LivenessDeps): Loop {
  const state: LivenessState = { places: new Map(), pools: new Map(), stalls: createStalls(deps) }
  return createReconciler(
    {
      name: 'runner-liveness',
      resyncEveryMs,
      resync: () => resync(deps, state),
      reconcile: (name, signal) => reconcile(name, deps, state, signal),
    },
    deps,
  )
}

/** The ledger is read first: a booting row whose runner the host does not have is a matter of recovery. */
async function resync({ ledger, host }: LivenessDeps, state: LivenessState): Promise<readonly string[]> {
  state.pools = new Map((await ledger.pools()).map((pool) => [pool.name, pool]))
  const { rows } = await ledger.runners(0, { states: ['booting'] })
  const booting = new Set(rows.map(({ name }) => name))
  const hosted = await host.list()
  const present = new Set(hosted.map(({ name }) => name))
  for (const name of state.places.keys()) if (!present.has(name)) state.places.delete(name)
  state.stalls.compare(hosted)
  return hosted.filter((runner) => isWaiting(runner) && booting.has(runner.name)).map(({ name }) => name)
}

async function reconcile(
  name: string,
  deps: LivenessDeps,
  state: LivenessState,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null || !isWaiting(hosted)) {
    state.places.delete(name)
    if (hosted?.program === 'started') state.stalls.gotGoing(hosted.pool)
    return hosted !== null && hosted.state === 'running' && hosted.program === 'unknown' ? null : 'over'
  }
  if (hosted.problem !== null) state.stalls.met(hosted.pool, hosted.problem)
  const pool = await poolOf(hosted.pool, deps, state)
  if (pool === undefined) return null // not declared: its runners leave
  const now = deps.clock.now()
  const dueAt = givenUpAt({ ...place(hosted, state, now), problem: hosted.problem }, pool.provisioning)
  const isStalled = deps.startProblems.isStalled(pool.name)
  if (now < dueAt && !isStalled) return dueAt - now
  const runner = await deps.ledger.findRunner(name)
  if (runner === null || !isLive(runner)) return 'over' // handled by the lifecycle
  if (hasPolled(runner)) {
    state.stalls.gotGoing(pool.name)
    state.places.delete(name)
    return 'over'
  }
  if (now < dueAt) return Math.min(stalledLookMs, dueAt - now)
  const problem = hosted.problem ?? silenceOf(hosted, now)
  const given = await giveUp({ ...hosted, problem }, runner, deps)
  if (typeof given === 'object') return given.againInMs
  if (given === 'leaving') state.stalls.gaveUp(pool.name, problem)
  return 'over'
}

/**
 * Whether the runner's program has not started, and nothing asked it to go. Where polling is part of the program, a problem
 * shows it, or the row, which has the first poll; not on a silent node, where more may have happened than is known.
 */
function isWaiting({ state, program, problem, leavingSince, silentSince, node }: HostedRunner): boolean {
  if (state !== 'running' || leavingSince !== null) return false
  if (program !== 'unknown') return program === 'waiting'
  return problem !== null || (node !== null && silentSince === null)
}

/** A runner that runs and has never polled cannot reach us from there. */
function silenceOf({ name, node, startedAt }: HostedRunner, now: Instant): StartProblem | null {
  if (startedAt === null) return null
  const where = node === null ? '' : ` on ${node}`
  const message = `${name} runs${where} and has not polled for a job in ${Math.round((now - startedAt) / 1_000)} s.`
  return { kind: 'HoldfastUnreachable', message, since: startedAt }
}

function hasPolled({ state }: Runner): boolean {
  return state !== 'booting'
}

function place(hosted: HostedRunner, { places }: LivenessState, now: Instant) {
  const isPlaced = hosted.node !== null || hosted.startedAt !== null // a process has no node
  const before = places.get(hosted.name)
  const known = before?.isPlaced === isPlaced ? before : { isPlaced, since: now }
  places.set(hosted.name, known)
  return known
}

async function poolOf(
  name: string,
  { ledger }: LivenessDeps,
  state: LivenessState,
): Promise<Pool | undefined> {
  if (!state.pools.has(name)) {
    state.pools = new Map((await ledger.pools()).map((pool) => [pool.name, pool]))
  }
  return state.pools.get(name)
}
