import { type Handle, mintName } from '../../../../domain/attempt/index.ts'
import type { Claim, ClaimingRunner, ClaimResult } from '../../../../ports/ledger.ts'
import { constraintOf, type Database, type Db, prepared, sql } from '../../connection/index.ts'
import { createBatcher } from '../batcher.ts'
import { claimNext } from './claim-next.ts'
import { claimOne } from './claim-one.ts'
import type { Asker } from './claimed-row.ts'
import { openAttempt } from './open.ts'

export type Claiming = (runner: ClaimingRunner, handle: Handle, deadlineMs: number) => Promise<ClaimResult>

/** No more locks are held together, and no answer is larger. */
const batchMax = 32
/** Keeps our advisory locks apart from those of others. */
const capLockClass = 0x40_1d_fa_57

/**
 * Claims of one pool that come while others are on their way go together in the next statement. One at a time: two
 * at once make smaller batches, and most of a statement's cost does not depend on how many it serves.
 */
export function createClaiming(database: Database, serves: string | null): Claiming {
  const capped = new Set<string>()
  const claimTogether = createBatcher<Asker, ClaimResult>({
    max: batchMax,
    conflict: (a, b) => a.runnerId === b.runnerId || a.handle === b.handle,
    run: claimAll,
  })

  return ({ id, name, pool }, handle, deadlineMs) =>
    claimTogether(pool, { runnerId: id, handle, forgeRunnerName: mintName(name, handle), deadlineMs })

  async function claimAll(pool: string, askers: readonly Asker[]): Promise<ClaimResult[]> {
    const claims = await claimSafely(pool, askers)
    const others = askers.filter(({ runnerId }) => !claims.has(runnerId))
    const mayStay = others.length === 0 ? others : await whoMayStay(others)
    return askers.map((asker): ClaimResult => {
      const claim = claims.get(asker.runnerId)
      if (claim !== undefined) return { kind: 'claimed', claim }
      return { kind: mayStay.includes(asker) ? 'nothing' : 'leave' }
    })
  }

  /** A claim that is repeated because its answer was lost did take effect, and is given again. */
  async function claimSafely(pool: string, askers: readonly Asker[]): Promise<Map<number, Claim>> {
    try {
      return await claimTheWay(pool, askers)
    } catch (error) {
      if (constraintOf(error) !== 'attempts_handle_key') throw error
      const claims = new Map<number, Claim>()
      const others: Asker[] = []
      for (const asker of askers) {
        const open = await openAttempt(database, asker.runnerId)
        if (open?.attempt.handle === asker.handle) claims.set(asker.runnerId, open)
        else if (!(await isUsed(asker.handle))) others.push(asker)
      }
      return others.length === 0 ? claims : new Map([...claims, ...(await claimSafely(pool, others))])
    }
  }

  /** Whether a pool has caps is remembered as a guess. Where it is wrong, nothing is given, or a lock too much taken. */
  async function claimTheWay(pool: string, askers: readonly Asker[]): Promise<Map<number, Claim>> {
    if (!capped.has(pool)) {
      const claims = await claimFreely(pool, askers)
      if (claims.size > 0 || !(await hasCaps(database, pool))) return claims
      capped.add(pool)
    }
    return database.transaction(async (tx) => {
      const claims = await claimOneByOne(tx, pool, askers, serves)
      if (!(await hasCaps(tx, pool))) capped.delete(pool)
      return claims
    })
  }

  async function claimFreely(pool: string, askers: readonly Asker[]): Promise<Map<number, Claim>> {
    const [first, second] = askers
    if (first === undefined || second !== undefined) {
      return claimNext(database, pool, askers, { underLock: false, serves })
    }
    const claim = await claimOne(database, pool, first, serves)
    return new Map(claim === null ? [] : [[first.runnerId, claim]])
  }

  /** Also who is in a state that only a newer version knows: that is no proof that it must go. */
  async function whoMayStay(askers: readonly Asker[]): Promise<Asker[]> {
    const { rows } = await database.query<{ id: number }>(
      prepared(
        'may-stay',
        sql`
      select id from runners
       where id = any (${askers.map(({ runnerId }) => runnerId)}::bigint[])
         and state not in ('fenced', 'ended', 'removed')`,
      ),
    )
    return askers.filter(({ runnerId }) => rows.some(({ id }) => id === runnerId))
  }

  async function isUsed(handle: Handle): Promise<boolean> {
    const { rowCount } = await database.query(sql`select from attempts where handle = ${handle}`)
    return rowCount > 0
  }
}

/** Each claim sees the one before, and nobody else claims in this pool meanwhile: so a cap is never exceeded. */
async function claimOneByOne(
  tx: Db,
  pool: string,
  askers: readonly Asker[],
  serves: string | null,
): Promise<Map<number, Claim>> {
  const claims = new Map<number, Claim>()
  await tx.query(sql`select pg_advisory_xact_lock(${capLockClass}, hashtext(${pool}))`)
  for (const asker of askers) {
    for (const [runnerId, claim] of await claimNext(tx, pool, [asker], { underLock: true, serves })) {
      claims.set(runnerId, claim)
    }
  }
  return claims
}

async function hasCaps(db: Db, pool: string): Promise<boolean> {
  const { rowCount } = await db.query(
    prepared(
      'has-caps',
      sql`
    select from pools where name = ${pool} and (cap_per_repository is not null or cap_per_owner is not null)`,
    ),
  )
  return rowCount > 0
}
