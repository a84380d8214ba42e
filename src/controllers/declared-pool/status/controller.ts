import type { Instant } from '../../../domain/time.ts'
import { again, done, eachApart, type Loop, type Outcome } from '../../../loop/index.ts'
import type { DeclaredPool, PoolStatus } from '../../../ports/declared-pools.ts'
import { conditionsOf, type PoolFacts } from './conditions.ts'
import type { StatusDeps } from './deps.ts'
import { gatherFacts } from './facts.ts'
import { createNews } from './news.ts'

/** A status that somebody edited is put right by then; nothing is written where nothing changed. */
const sweepMs = 60_000
/** Under load one look for many changes. */
const gapMs = 2_000
/** Numbers alone are written at most so often; a condition that turns is written at once. */
const countsEveryMs = 10_000

interface Reported {
  readonly uid: string
  readonly status: PoolStatus
  readonly at: Instant
}

/** Tells people on each declared pool how it fares: numbers, conditions, and events for what changed. */
export function statusLoop(deps: StatusDeps): Loop {
  const reported = new Map<string, Reported>()
  const news = createNews(deps)
  return {
    name: 'pool-status',
    sweepMs,
    gapMs,
    wokenBy: (wake) => wake.kind === 'jobs' || wake.kind === 'recovery',
    listen: (ring) => listenToAll(deps, ring),
    async pass(signal) {
      const all = await gatherFacts(deps)
      const names = new Set(all.map(({ pool }) => pool.name))
      for (const name of reported.keys()) if (!names.has(name)) reported.delete(name)
      news.tell(all)
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

function listenToAll({ pools, troubles }: StatusDeps, ring: () => void): () => void {
  const forget = [pools.onChange(ring), troubles.onChange(ring)]
  return () => {
    for (const one of forget) one()
  }
}

/** Gives after how long what is held back now may be written; 0 where nothing is. */
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

/** Whether only numbers changed, and some were written a moment ago. */
function isHeldBack(before: Reported, pool: DeclaredPool, status: PoolStatus, now: Instant): boolean {
  if (now >= before.at + countsEveryMs || before.uid !== pool.uid) return false
  if (before.status.observedGeneration !== status.observedGeneration) return false
  if (turns(before.status) !== turns(status)) return false
  return JSON.stringify(before.status) !== JSON.stringify(status)
}

/** What of the conditions is worth a write of its own; their messages hold numbers. */
function turns({ conditions }: PoolStatus): string {
  return JSON.stringify(conditions.map(({ type, isTrue, reason }) => [type, isTrue, reason]))
}

function statusOf(facts: PoolFacts): PoolStatus {
  const { pool, counts } = facts
  return { observedGeneration: pool.generation, ...counts, conditions: conditionsOf(facts) }
}

function soonest(waits: readonly number[]): Outcome {
  const held = waits.filter((ms) => ms > 0)
  return held.length === 0 ? done : again(Math.min(...held))
}
