import type { Pool } from '../../../domain/pool/index.ts'
import { done, eachApart, type Loop, type Outcome, requeueAfter } from '../../../loop/index.ts'
import type { DeclaredPool, DeclaredPools } from '../../../ports/declared-pools.ts'
import type { Cause, Leader, PoolCounts, PoolLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import { arePoolsAlike } from './alike.ts'

export interface SyncDeps {
  readonly ledger: PoolLedger
  readonly host: RunnerHost
  readonly pools: DeclaredPools
  readonly leader: () => Leader | null
  readonly log: Log
}

const resyncMs = 60_000
/** The pause between passes while the last runners of a pool are leaving. */
const leavingLookMs = 2_000
const cause: Cause = { source: 'operator' }

/**
 * Makes the declared pools the pools of the ledger. A deleted pool is retired at once, so that its jobs go elsewhere; its
 * finalizer is removed when its last runner has left. A list that is not fresh changes nothing (I10).
 */
export function syncLoop(deps: SyncDeps): Loop {
  return {
    name: 'pool-sync',
    resyncMs,
    wokenBy: () => false,
    subscribe: (notify) => deps.pools.onChange(notify),
    pass: (signal) => sync(deps, signal),
  }
}

async function sync(deps: SyncDeps, signal: AbortSignal): Promise<Outcome> {
  const { ledger, pools, log } = deps
  const declared = await pools.list()
  const held = await ledger.pools()
  if (declared.length === 0 && held.length > 0) {
    // A deleted pool stays listed until we remove its finalizer: the pools never disappear all at once.
    log.warn(
      { held: held.length },
      'no pool is declared any more, although none was released: nothing is changed',
    )
    return done
  }
  const counts = await ledger.counts()
  const wanted = wantedOf(declared, held, counts)
  if (!arePoolsAlike(wanted, held)) {
    if ((await ledger.putPools(wanted, cause, deps.leader())) === 'deposed') return done
    const names = (all: readonly Pool[]) => all.map(({ name }) => name)
    log.info({ pools: names(wanted), before: names(held) }, 'the pools were changed')
  }
  const leaving = declared.filter(({ isLeaving }) => isLeaving)
  if (leaving.length === 0) return done
  let empty = await emptyOf(leaving, deps)
  if (empty.length > 0) {
    // An earlier leader may have put them back since they were listed, and enrolled for them. From here on it cannot.
    if ((await ledger.putPools(wanted, cause, deps.leader())) === 'deposed') return done
    empty = await emptyOf(empty, deps)
    await releaseAll(empty, deps, signal)
  }
  return empty.length === leaving.length ? done : requeueAfter(leavingLookMs)
}

/** An invalid pool keeps its last valid version while runners or jobs depend on it. */
function wantedOf(
  declared: readonly DeclaredPool[],
  held: readonly Pool[],
  counts: readonly PoolCounts[],
): readonly Pool[] {
  return declared.flatMap(({ name, isLeaving, declared: as }) => {
    if (isLeaving) return []
    if (as.kind === 'pool') return [as.pool]
    const count = counts.find(({ pool }) => pool === name)
    const isInUse = count !== undefined && (count.queued > 0 || liveOf(count) > 0)
    return isInUse ? held.filter((pool) => pool.name === name) : []
  })
}

/** Deleted pools of which nothing is left, in the ledger and on the host. */
async function emptyOf(
  leaving: readonly DeclaredPool[],
  { ledger, host }: SyncDeps,
): Promise<readonly DeclaredPool[]> {
  const counts = await ledger.counts()
  const hosted = new Set((await host.list()).map(({ pool }) => pool))
  return leaving.filter(
    ({ name }) => !hosted.has(name) && !counts.some((count) => count.pool === name && liveOf(count) > 0),
  )
}

async function releaseAll(
  empty: readonly DeclaredPool[],
  { pools, log }: SyncDeps,
  signal: AbortSignal,
): Promise<void> {
  await eachApart(
    empty,
    async (pool) => {
      await pools.release(pool, signal)
      log.info({ pool: pool.name }, 'a pool that was deleted has no runner left and is released')
    },
    ({ name }, error) =>
      log.warn({ pool: name, err: error }, 'a pool that was deleted could not be released'),
    signal,
  )
}

function liveOf({ runners, unreadable }: PoolCounts): number {
  const { booting, polling, claimed, busy, fenced } = runners
  return booting + polling + claimed + busy + fenced + unreadable
}
