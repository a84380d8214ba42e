import type { Instant } from '../../../src/domain/time.ts'
import type {
  DecisionFilter,
  DecisionRow,
  ListedDecision,
  ListedDecisions,
} from '../../../src/ports/ledger.ts'
import type { State } from './state.ts'

/** Decisions newest first, with the names of their subjects. */
export function listDecisions(state: State, filter: DecisionFilter, now: Instant): ListedDecisions {
  const { withinMs, jobId, runner, rule, pool, limit } = filter
  const is = <T>(wanted: T | undefined, value: T | null) => wanted === undefined || wanted === value
  const rows = [...state.decisions.values()]
    .filter(({ at }) => at >= now - withinMs)
    .map((row) => named(row, state))
    .filter(
      (row) => is(jobId, row.jobId) && is(rule, row.rule) && is(runner, row.runner) && is(pool, row.pool),
    )
    .toSorted((a, b) => b.id - a.id)
  return { rows: rows.slice(0, limit), unreadable: [] }
}

function named(row: DecisionRow, { jobs, runners }: State): ListedDecision {
  const job = row.jobId === null ? undefined : jobs.get(row.jobId)
  const runner = row.runnerId === null ? undefined : runners.get(row.runnerId)
  const hosted = (row.facts.hosted ?? {}) as { readonly name?: string; readonly pool?: string }
  return {
    ...row,
    repository: job?.repository ?? null,
    runner: runner?.name ?? hosted.name ?? null,
    pool: runner?.pool ?? job?.pool ?? hosted.pool ?? null,
  }
}
