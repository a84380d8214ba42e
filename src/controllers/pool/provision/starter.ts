import type { Trouble } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Turns } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Cause, Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { Avoidance } from '../../node/health/index.ts'
import { bindPod } from '../../runner/bind-pod.ts'
import { sealDeath } from '../../runner/seal/index.ts'
import type { TroubleBoard } from '../trouble-board.ts'
import {
  allowanceOf,
  createLane,
  ease,
  fill,
  isReady,
  isSpent,
  type Lane,
  type PendingStart,
  pause,
  tryAnew,
} from './lanes.ts'
import { neverStarted } from './never-started.ts'

export type { PendingStart } from './lanes.ts'

export interface StarterDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly troubles: TroubleBoard
  /** Shared with those who end runners: nothing is started of one whose end is being sealed. */
  readonly turns: Turns
  /** Nodes on which nothing new is started, or only where no other takes it. */
  readonly quarantine: Avoidance
}

/**
 * Starts runners that have their rows: a bounded number at a time, the pools in turn. A pool whose starts fail
 * pauses, longer each time, and holds up no other. What is started under a name that is there already changes
 * nothing, so that a start whose outcome nobody knows is made again.
 */
export interface Starter {
  add(starts: readonly PendingStart[]): void
  /** How many more starts of a pool it takes now. */
  allowance(pool: string): number
  /** Until when no start of a pool is tried; null where it is not paused. */
  pausedUntil(pool: string): Instant | null
  /** Takes back a start that was not begun; false where something of the runner may exist. */
  takeBack(name: string): boolean
  /** Calls back when there is room for more, or when a pool's starts succeed again. */
  onRoom(callback: () => void): () => void
  /** Forgets what waits; resolves when what is under way is done. */
  dismiss(): Promise<void>
}

/** As many creates as an API server takes at a time from one client without making others wait. */
export const startsAtATimeMax = 16
const cause: Cause = { source: 'scale' }
/** A start that was begun is seen through, so that a shutdown finds every runner where it looks for them. */
const seenThrough = new AbortController().signal

export function createStarter(deps: StarterDeps): Starter {
  const { clock, host } = deps
  const lanes = new Map<string, Lane>()
  const tasks = new Set<Promise<void>>()
  const callbacks = new Set<() => void>()
  let cancelTimer = () => {}
  let isOpen = true
  const templateOf = ({ pool }: Lane) => host.template(pool)

  function pump(): void {
    for (const lane of lanes.values())
      if (tryAnew(lane, templateOf(lane), clock.now())) deps.troubles.note(lane.pool, 'start', null)
    while (isOpen && tasks.size < startsAtATimeMax) {
      const lane = nextReady()
      const start = lane?.waiting.shift()
      if (lane === undefined || start === undefined) break
      lane.activeCount += 1
      const task = startOne(lane, start).finally(() => {
        lane.activeCount -= 1
        tasks.delete(task)
        if (isSpent(lane)) lanes.delete(lane.pool)
        pump()
      })
      tasks.add(task)
      if (lane.waiting.length === lane.tellAt) tell()
    }
    wakeAtPauseEnd()
  }

  /** The lanes take turns: one that is served goes to the end. */
  function nextReady(): Lane | undefined {
    for (const lane of lanes.values()) {
      if (!isReady(lane, clock.now())) continue
      lanes.delete(lane.pool)
      lanes.set(lane.pool, lane)
      return lane
    }
    return undefined
  }

  function wakeAtPauseEnd(): void {
    cancelTimer()
    const now = clock.now()
    const waits = [...lanes.values()]
      .filter((lane) => lane.failureCount > 0 && lane.waiting.length > 0)
      .map(({ pausedUntil }) => pausedUntil - now)
      .filter((ms) => ms > 0)
    if (waits.length > 0) cancelTimer = clock.after(Math.min(...waits), pump)
  }

  function tell(): void {
    for (const callback of callbacks) callback()
  }

  async function startOne(lane: Lane, start: PendingStart): Promise<void> {
    const template = templateOf(lane)
    try {
      await deps.turns.take(start.runner.name, () => startInTurn(lane, start, template))
    } catch (error) {
      // Nobody knows whether it was started, or its end could not be written: the row says, when it is tried again.
      pause(lane, { template, trouble: null }, clock.now(), deps.entropy.fraction())
      deps.log.warn(
        { err: error, runner: start.runner.name, pool: lane.pool },
        'a start failed and is repeated',
      )
      lane.waiting.unshift({ ...start, mayExist: true })
    }
  }

  async function startInTurn(lane: Lane, start: PendingStart, template: string | null): Promise<void> {
    if (!(await isStillWanted(lane, start, deps))) return
    const { runner, secret } = start
    const order = { name: runner.name, pool: runner.pool, secret, ...deps.quarantine.placing() }
    const outcome = await host.start(order, seenThrough)
    if (outcome.kind === 'started') {
      await bindPod(runner, deps)
      wentWell(lane)
      return
    }
    const { trouble } = outcome
    pause(lane, { template, trouble }, clock.now(), deps.entropy.fraction())
    deps.troubles.note(lane.pool, 'start', trouble)
    deps.log.warn({ runner: runner.name, pool: lane.pool, trouble }, 'a runner cannot be started')
    await giveUp(start, trouble, deps)
  }

  function wentWell(lane: Lane): void {
    const wasTroubled = lane.failureCount > 0
    ease(lane)
    deps.troubles.note(lane.pool, 'start', null)
    if (wasTroubled) tell()
  }

  return {
    add(starts) {
      isOpen = true
      for (const [pool, ofPool] of Map.groupBy(starts, ({ runner }) => runner.pool)) {
        const lane = lanes.get(pool) ?? createLane(pool)
        lanes.set(pool, lane)
        fill(lane, ofPool)
      }
      pump()
    },
    allowance: (pool) => allowanceOf(lanes.get(pool), clock.now()),
    pausedUntil(pool) {
      const lane = lanes.get(pool)
      return lane === undefined || lane.failureCount === 0 ? null : lane.pausedUntil
    },
    takeBack(name) {
      for (const lane of lanes.values()) {
        const at = lane.waiting.findIndex(({ runner, mayExist }) => runner.name === name && !mayExist)
        if (at >= 0) return lane.waiting.splice(at, 1).length === 1
      }
      return false
    },
    onRoom(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    async dismiss() {
      isOpen = false
      await Promise.all(tasks)
      cancelTimer()
      lanes.clear()
    },
  }
}

/** Whether the runner is to be started. One whose time is up is given up where it is known that nothing of it exists. */
async function isStillWanted(lane: Lane, start: PendingStart, deps: StarterDeps): Promise<boolean> {
  const now = deps.clock.now()
  if (now >= start.deadline) {
    if (!start.mayExist && lane.trouble !== null) await giveUp(start, lane.trouble, deps)
    return false // else its boot deadline in the ledger resolves it
  }
  if (!start.mayExist && now < start.freshUntil) return true
  const row = await deps.ledger.findRunner(start.runner.name)
  // One whose pod is known was made before: if that pod is gone it ended, and another one of its name would be a second
  // runner behind one record.
  return row?.state === 'booting' && (row.podUid ?? null) === null
}

async function giveUp({ runner }: PendingStart, trouble: Trouble, deps: StarterDeps): Promise<void> {
  const record = neverStarted(`${trouble.kind}: ${trouble.message}`, deps.clock.now())
  await sealDeath({ runner, record, reason: trouble.kind }, cause, deps)
}
