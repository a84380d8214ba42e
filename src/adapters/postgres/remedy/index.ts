import type { Digest } from '../../../domain/canonical-json.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { RemedyStore } from '../../../ports/remedy-store.ts'
import { type Database, describeTarget, openSession, type Tls, targetOf } from '../connection/index.ts'
import { putPlan } from './plan/put.ts'
import { readPlan } from './plan/read.ts'
import { beginRun } from './run/begin-run.ts'
import { takeLock } from './run/take-lock.ts'
import { createLedgerTrail } from './trail/index.ts'

export interface RemedyLedgerOptions {
  readonly database: Database
  /** Where the same database is, for the session that holds the lock. */
  readonly url: string
  readonly tls?: Tls
  readonly digest: Digest
  readonly log: Log
  readonly clock: Clock
}

/**
 * Plans and trail of remedies in the ledger. The lock is a session's advisory lock and ends with it; a run that lost it without
 * knowing is fenced by the token in the head's row. The database is its owner's to close.
 */
export function createRemedyLedger(options: RemedyLedgerOptions): Omit<RemedyStore, keyof AsyncDisposable> {
  const { database, url, tls, digest, log, clock } = options
  const place = `the ledger ${describeTarget(targetOf(url, tls))}`
  let run: number | null = null
  return {
    kind: 'ledger',
    place,
    trail: createLedgerTrail({ database, digest, place, run: () => run }),
    plans: {
      write: (hash, plan) => putPlan(database, hash, plan),
      read: (hash) => readPlan(database, hash, place, digest),
    },
    async lock() {
      const session = await openSession({ url, ...(tls && { tls }), purpose: 'remedy', log, clock })
      try {
        const taken = await takeLock(session)
        if (taken !== 'taken') throw new HoldfastError('E_REMEDY_BUSY', { place, holder: taken.heldBy })
        run = await beginRun(database)
      } catch (error) {
        await session.close()
        throw error
      }
      return { [Symbol.asyncDispose]: () => session.close() }
    },
  }
}
