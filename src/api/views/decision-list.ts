import type { Instant } from '../../domain/time.ts'
import type { ListedDecision, ListedDecisions } from '../../ports/ledger.ts'
import type { ApiListedDecision, DecisionList, DecisionQuery } from '../contracts/decision-list.ts'
import { decisionView } from './job-file.ts'
import { iso } from './time.ts'

/** Decisions in the terms of the API. One more than the limit was read, to know whether there are more. */
export function decisionList(
  { rows, unreadable }: ListedDecisions,
  { since: withinMs, limit }: DecisionQuery,
  now: Instant,
): DecisionList {
  return {
    at: iso(now),
    since: iso(now - withinMs),
    decisions: rows.slice(0, limit).map(listedDecision),
    hasMore: rows.length + unreadable.length > limit,
    unreadable: [...unreadable],
  }
}

function listedDecision(row: ListedDecision): ApiListedDecision {
  const { jobId, repository, runner, pool } = row
  return { ...decisionView(row), jobId, repository, runner, pool }
}
