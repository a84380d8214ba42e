import { type Correction, correctionOf, sealedEnd } from '../../../src/domain/death/index.ts'
import { isLive } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { EndCount, EndFilter, EndRow, RunnerAlive } from '../../../src/ports/ledger.ts'
import { deathsAfter } from './reading.ts'
import { filter, openAttemptOfRunner, type State } from './state.ts'
import { allDecisions } from './whole.ts'

/** Ends in short, newest first, also of runners that are archived. */
export function sealedEnds(
  state: State,
  { withinMs, classes, node, pools }: Omit<EndFilter, 'limit'>,
  now: Instant,
): EndRow[] {
  return deathsAfter(state, 0, Number.POSITIVE_INFINITY)
    .filter(({ sealedAt }) => sealedAt >= now - withinMs)
    .map(({ runnerId, runner, pool, sealedAt, record }) => ({
      ...sealedEnd(record, { pool, sealedAt }),
      runnerId,
      runner,
    }))
    .filter((end) => classes === undefined || classes.includes(end.class))
    .filter((end) => node === undefined || end.node === node)
    .filter((end) => pools === undefined || pools.includes(end.pool))
    .sort((a, b) => b.sealedAt - a.sealedAt || b.runnerId - a.runnerId)
}

export function endCounts(state: State, wanted: Omit<EndFilter, 'limit'>, now: Instant): EndCount[] {
  return [...Map.groupBy(sealedEnds(state, wanted, now), (end) => end.class)]
    .map(([name, { length: count }]) => ({ class: name, count }))
    .sort((a, b) => b.count - a.count || (a.class < b.class ? -1 : 1))
}

export function corrections(state: State, runnerIds: readonly number[]): Map<number, Correction> {
  const found = new Map<number, Correction>()
  for (const runnerId of runnerIds) {
    const own = allDecisions(state).filter((row) => row.runnerId === runnerId && row.jobId === null)
    const correction = correctionOf(own)
    if (correction !== null) found.set(runnerId, correction)
  }
  return found
}

export function runnersAlive(state: State, limit: number): RunnerAlive[] {
  return filter(state.runners, isLive)
    .reverse()
    .slice(0, limit)
    .map(({ id, name, pool }) => {
      const attempt = openAttemptOfRunner(state, id)
      return { name, pool, repository: attempt && (state.jobs.get(attempt.jobId)?.repository ?? null) }
    })
}
