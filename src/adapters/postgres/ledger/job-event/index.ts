import type { JobEventLedger } from '../../../../ports/ledger.ts'
import type { LedgerContext } from '../context.ts'
import { groupCommit } from '../group-commit.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { applyBatch } from './apply-batch.ts'
import { applyOne } from './apply-one.ts'
import { conflict, type PendingEvent } from './pending-event.ts'

/** No more locks are held together. */
const batchMax = 64

/**
 * Applies job events. Both ways lead through `apply-to-bound-rows.ts`:
 * find (`find-known.ts`, `find-bound-rows.ts`) → lock (`lock-bound-rows.ts`) → plan (`plan-events.ts`) → apply (`../plan/`).
 * Rows that changed between find and lock are a serialization failure, and the transaction is retried, a bounded number
 * of times, like any other (`connection/transaction.ts`).
 *
 * Events that come while others are applied share the next transaction (starts of jobs a second, each with its delivery
 * settled, on two cores: 340 one by one with two commits each, 1,200 in batches; on busy ones 45 and 320).
 */
export function createApplyJobEvent(ledger: LedgerContext): JobEventLedger['applyJobEvent'] {
  const apply = groupCommit({
    max: batchMax,
    conflict,
    batch: (batch: readonly PendingEvent[]) =>
      ledger.database.transaction((tx) => applyBatch(tx, ledger, batch)),
    one: (pending: PendingEvent) => applyOne(ledger, pending),
  })
  return async (event, cause, settles) => {
    await ensureInstallation(ledger.database, event.job.installation, ledger.installations)
    return apply({ event, cause, settles: settles ?? null })
  }
}
