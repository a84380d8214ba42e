import type { Runner } from '../../domain/runner/index.ts'
import type { ApiRunner } from '../contracts/runner.ts'
import { safeText } from './safe.ts'
import { iso, isoOrNull } from './time.ts'

/** A runner of the ledger in the terms of the API; the hash of its secret stays behind. */
export function runnerView(runner: Runner & { readonly jobId: number | null }): ApiRunner {
  return {
    id: runner.id,
    name: runner.name,
    pool: runner.pool,
    state: runner.state,
    jobId: runner.jobId,
    createdAt: iso(runner.createdAt),
    polledAt: isoOrNull(runner.polledAt),
    fencedAt: isoOrNull(runner.fencedAt),
    endedAt: isoOrNull(runner.endedAt),
    reason: runner.reason === null ? null : safeText(runner.reason),
    evidenceId: runner.evidenceId,
  }
}
