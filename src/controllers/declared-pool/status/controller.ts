import type { Instant } from '../../../domain/time.ts'
import { done, eachApart, type Loop, type Outcome, requeueAfter } from '../../../loop/index.ts'
import type { DeclaredPool, PoolStatus } from '../../../ports/declared-pools.ts'
import { conditionsOf, type PoolFacts } from './conditions.ts'
import type { StatusDeps } from './deps.ts'
import { gatherFacts } from './facts.ts'
import { createNews } from './news.ts'

/** A status that somebody edited is corrected after this; nothing is written where nothing changed. */
const resyncMs = 60_000
/** Under load many changes make one pass. */
const gapMs = 2_000
/** Changed numbers are written at most this often; a changed condition is written at once. */
const countsEveryMs = 10_000

interface Reported {
  readonly uid: string
  readonly status: PoolStatus
  readonly at: Instant
}

/** Writes the status of each declared pool: numbers, conditions, and Events for changes. */
export function statusLoop(deps: StatusDeps): Loop {
  const reported = new Map<string, Reported>()
  const news = createNews(deps)
  return {
    name: 'pool-status',
    resyncMs,
    gapMs,
    wokenBy: (wake) => wake.kind === 'jobs' || wake.kind === 'recovery',
    subscribe: (notify) => listenToAll(deps, notify),
    async pass(signal) {
      const all = await gatherFacts(deps)
      const names = new Set(all.map(({ pool }) => pool.name))
      for (const name of reported.keys()) if (!names.has(name)) reported.delete(name)
      news.publish(all)
      const waits: number[] = []
      await eachApart(
        all,
        async (facts) => waits.push(await report(facts, reported, deps, signal)),
        ({ pool }, error) => deps.log.warn({ pool: pool.name, err: error }, 'a status could not be written'),
        signal,
      )
      return soonest(waits)
    },
  }
}

function listenToAll({ pools, startProblems }: StatusDeps, notify: () => void): () => void {
  const forget = [pools.onChange(notify), startProblems.onChange(notify)]
  return () => {
    for (const one of forget) one()
  }
}

/** Returns after how long a delayed status may be written; 0 where none is delayed. */
async function report(
  facts: PoolFacts,
  reported: Map<string, Reported>,
  { clock, pools }: StatusDeps,
  signal: AbortSignal,
): Promise<number> {
  const { pool } = facts
  const status = statusOf(facts)
  const before = reported.get(pool.name)
  const now = clock.now()
  if (before !== undefined && isHeldBack(before, pool, status, now)) return before.at + countsEveryMs - now
  await pools.report(pool, status, signal)
  const isSame = before !== undefined && JSON.stringify(before.status) === JSON.stringify(status)
  reported.set(pool.name, { uid: pool.uid, status, at: isSame ? before.at : now })
  return 0
}

/** Whether only numbers changed, and the last write is recent. */
function isHeldBack(before: Reported, pool: DeclaredPool, status: PoolStatus, now: Instant): boolean {
  if (now >= before.at + countsEveryMs || before.uid !== pool.uid) return false
  if (before.status.observedGeneration !== status.observedGeneration) return false
  if (conditionStates(before.status) !== conditionStates(status)) return false
  return JSON.stringify(before.status) !== JSON.stringify(status)
}

/** The part of the conditions whose change is worth a write of its own; their messages hold numbers. */
function conditionStates({ conditions }: PoolStatus): string {
  return JSON.stringify(conditions.map(({ type, isTrue, reason }) => [type, isTrue, reason]))
}

function statusOf(facts: PoolFacts): PoolStatus {
  const { pool, counts } = facts
  return { observedGeneration: pool.generation, ...counts, conditions: conditionsOf(facts) }
}

function soonest(waits: readonly number[]): Outcome {
  const held = waits.filter((ms) => ms > 0)
  return held.length === 0 ? done : requeueAfter(Math.min(...held))
}
