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
    reason: reasonText(runner),
    evidenceId: runner.evidenceId,
  }
}

/** A runner that is busy with nothing is out of order, and not what its state says. */
function reasonText({ state, jobId, reason }: Runner & { readonly jobId: number | null }): string | null {
  if (reason !== null) return safeText(reason)
  return state === 'busy' && jobId === null ? 'its job is over, and it did not end yet' : null
}
