import { iso, type RunnerList, type RunnerQuery, runnerView, unreadableRunnerView } from '../../api/index.ts'
import { hasLabels } from '../../domain/pool/index.ts'
import { isLive, type RunnerState } from '../../domain/runner/index.ts'
import type { LedgerClock, PoolLedger, RunnerReader } from '../../ports/ledger.ts'

type Reads = LedgerClock & PoolLedger & RunnerReader

/** Runners that may need attention come first; idle ones come last among the live. */
const attention: readonly RunnerState[] = [
  'fenced',
  'claimed',
  'busy',
  'booting',
  'polling',
  'ended',
  'removed',
]

/** Lists live runners and those that ended lately; the totals count all of them, however few are listed. */
export async function listRunners(query: RunnerQuery, ledger: Reads): Promise<RunnerList> {
  const { pool, label, state, since, ended, limit } = query
  const filter = { ...(pool !== undefined && { pool }), ...(state !== undefined && { states: state }) }
  const [now, { rows, unreadable }, pools] = await Promise.all([
    ledger.now(),
    ledger.runners(ended, filter),
    label === undefined ? [] : ledger.pools(),
  ])
  const having = new Set(pools.filter((one) => hasLabels(one, [label ?? ''])).map(({ name }) => name))
  const found = rows
    .filter((runner) => label === undefined || having.has(runner.pool))
    .filter(({ endedAt }) => since === undefined || endedAt === null || endedAt >= now - since)
  const live = found.filter(isLive).sort((a, b) => rankOf(a) - rankOf(b))
  const listed = [...live.slice(0, limit), ...found.filter((runner) => !isLive(runner))].slice(0, limit)
  return {
    at: iso(now),
    runners: listed.map(runnerView),
    unreadable: unreadable.map(unreadableRunnerView),
    live: live.length,
    leftOut: found.length - listed.length,
  }
}

function rankOf({ state }: { readonly state: RunnerState }): number {
  return attention.indexOf(state)
}
