import type { Handle } from '../../../../domain/attempt/index.ts'
import type { ClaimResult } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { batched } from './batch.ts'
import { claimNext } from './claim-next.ts'

export interface Asker {
  readonly runnerId: number
  readonly handle: Handle
  readonly deadlineMs: number
}

export type Claiming = (asker: Asker) => Promise<ClaimResult>

/** A batch as large as the claims that wait while another is on its way, and never larger. */
const batchMax = 32
const runnersKnownMax = 10_000
/** Keeps our advisory locks apart from those of others. */
const capLockClass = 0x40_1d_fa_57

/**
 * Claims of one pool that come while one is on its way go together in the next statement. Measured on 2 cores with
 * fsync on: see docs/design/ledger.md.
 */
export function createClaiming(database: Database): Claiming {
  const poolOfRunner = new Map<number, string>()
  const capped = new Set<string>()
  const gather = batched<Asker, ClaimResult>({
    max: batchMax,
    isSame: (a, b) => a.runnerId === b.runnerId || a.handle === b.handle,
    run: claimTogether,
  })

  return async (asker) => {
    const pool = poolOfRunner.get(asker.runnerId) ?? (await findPool(asker.runnerId))
    return pool === null ? { kind: 'leave' } : gather(pool, asker)
  }

  /** A runner's pool never changes. */
  async function findPool(runnerId: number): Promise<string | null> {
    const { rows } = await database.query<{ pool: string }>(
      sql`select pool from runners where id = ${runnerId}`,
    )
    const pool = rows[0]?.pool ?? null
    if (poolOfRunner.size >= runnersKnownMax) poolOfRunner.clear()
    if (pool !== null) poolOfRunner.set(runnerId, pool)
    return pool
  }

  async function claimTogether(pool: string, askers: readonly Asker[]): Promise<ClaimResult[]> {
    const results = await claimAll(pool, askers)
    return askers.map(({ runnerId }) => results.get(runnerId) ?? { kind: 'leave' })
  }

  /** Whether a pool has caps is remembered as a guess; the statement itself says when the guess is wrong. */
  async function claimAll(pool: string, askers: readonly Asker[]): Promise<Map<number, ClaimResult>> {
    if (!capped.has(pool)) {
      const results = await claimNext(database, pool, askers, { underLock: false })
      if (results !== null) return results
      capped.add(pool)
    }
    return database.transaction((tx) => claimOneByOne(tx, pool, askers))
  }
}

/** Each claim sees the one before, and nobody else claims in this pool meanwhile: so a cap is never exceeded. */
async function claimOneByOne(
  tx: Db,
  pool: string,
  askers: readonly Asker[],
): Promise<Map<number, ClaimResult>> {
  const results = new Map<number, ClaimResult>()
  await tx.query(sql`select pg_advisory_xact_lock(${capLockClass}, hashtext(${pool}))`)
  for (const asker of askers) {
    const claimed = await claimNext(tx, pool, [asker], { underLock: true })
    for (const [runnerId, result] of claimed ?? []) results.set(runnerId, result)
  }
  return results
}
