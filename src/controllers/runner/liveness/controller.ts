import type { Pool, Trouble } from '../../../domain/pool/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Loop } from '../../../loop/index.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { keyedLoop, type WorkedOn } from '../keyed/index.ts'
import type { LivenessDeps } from './deps.ts'
import { giveUp } from './give-up.ts'
import { givenUpAt } from './patience.ts'
import { createStalls, type Stalls } from './stalls.ts'

const compareEveryMs = 60_000
/** How soon a runner of a pool of which none got going is looked at again: the first that does proves that it may. */
const stalledLookMs = 5_000

interface Memory {
  /** Since when each runner is seen where it is now: waiting for a node, or on one. */
  readonly seen: Map<string, { readonly isPlaced: boolean; readonly since: Instant }>
  pools: ReadonlyMap<string, Pool>
  readonly stalls: Stalls
}

/**
 * Sees to it that no runner waits for ever for a node, an image or a container: what does not ask for work by the
 * deadlines of its pool is fenced, stopped and put on record with the reason, and the pool says so.
 */
export function livenessLoop(deps: LivenessDeps): Loop {
  const memory: Memory = { seen: new Map(), pools: new Map(), stalls: createStalls(deps) }
  return keyedLoop(
    {
      name: 'runner-liveness',
      compareEveryMs,
      compare: () => compare(deps, memory),
      work: (name, signal) => workOn(name, deps, memory, signal),
    },
    deps,
  )
}

/** The ledger first: a runner of a row that boots and that the host does not have is recovery's. */
async function compare({ ledger, host }: LivenessDeps, memory: Memory): Promise<readonly string[]> {
  memory.pools = new Map((await ledger.pools()).map((pool) => [pool.name, pool]))
  const { rows } = await ledger.runners(0, { states: ['booting'] })
  const booting = new Set(rows.map(({ name }) => name))
  const hosted = await host.list()
  const present = new Set(hosted.map(({ name }) => name))
  for (const name of memory.seen.keys()) if (!present.has(name)) memory.seen.delete(name)
  memory.stalls.compare(hosted)
  return hosted.filter((runner) => isWaiting(runner) && booting.has(runner.name)).map(({ name }) => name)
}

async function workOn(
  name: string,
  deps: LivenessDeps,
  memory: Memory,
  signal: AbortSignal,
): Promise<WorkedOn> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null || !isWaiting(hosted)) {
    memory.seen.delete(name)
    if (hosted?.program === 'started') memory.stalls.gotGoing(hosted.pool)
    return hosted !== null && hosted.state === 'running' && hosted.program === 'unknown' ? null : 'over'
  }
  if (hosted.trouble !== null) memory.stalls.met(hosted.pool, hosted.trouble)
  const pool = await poolOf(hosted.pool, deps, memory)
  if (pool === undefined) return null // nobody declares it: its runners leave
  const now = deps.clock.now()
  const dueAt = givenUpAt({ ...place(hosted, memory, now), trouble: hosted.trouble }, pool.provisioning)
  const isStalled = deps.troubles.isStalled(pool.name)
  if (now < dueAt && !isStalled) return dueAt - now
  const runner = await deps.ledger.findRunner(name)
  if (runner === null || !isLive(runner)) return 'over' // the lifecycle's
  if (hasAsked(runner)) {
    memory.stalls.gotGoing(pool.name)
    memory.seen.delete(name)
    return 'over'
  }
  if (now < dueAt) return Math.min(stalledLookMs, dueAt - now)
  const trouble = hosted.trouble ?? silenceOf(hosted, now)
  const given = await giveUp({ ...hosted, trouble }, runner, deps)
  if (typeof given === 'object') return given.againInMs
  if (given === 'leaving') memory.stalls.gaveUp(pool.name, trouble)
  return 'over'
}

/**
 * Its program has not started, and nobody wants it to go. Where polling is part of the program, a trouble tells, or its
 * row, which says whether it ever asked; not of a silent node, where more may have happened than we heard.
 */
function isWaiting({ state, program, trouble, leavingSince, silentSince, node }: HostedRunner): boolean {
  if (state !== 'running' || leavingSince !== null) return false
  if (program !== 'unknown') return program === 'waiting'
  return trouble !== null || (node !== null && silentSince === null)
}

/** What asks for work runs and has not been heard: there is no way from there to us. */
function silenceOf({ name, node, startedAt }: HostedRunner, now: Instant): Trouble | null {
  if (startedAt === null) return null
  const where = node === null ? '' : ` on ${node}`
  const message = `${name} runs${where} and has not asked for a job in ${Math.round((now - startedAt) / 1_000)} s.`
  return { kind: 'HoldfastUnreachable', message, since: startedAt }
}

function hasAsked({ state }: Runner): boolean {
  return state !== 'booting'
}

function place(hosted: HostedRunner, { seen }: Memory, now: Instant) {
  const isPlaced = hosted.node !== null || hosted.startedAt !== null // a process has no node
  const before = seen.get(hosted.name)
  const known = before?.isPlaced === isPlaced ? before : { isPlaced, since: now }
  seen.set(hosted.name, known)
  return known
}

async function poolOf(name: string, { ledger }: LivenessDeps, memory: Memory): Promise<Pool | undefined> {
  if (!memory.pools.has(name)) {
    memory.pools = new Map((await ledger.pools()).map((pool) => [pool.name, pool]))
  }
  return memory.pools.get(name)
}
