import type { Digest } from '../../../../domain/canonical-json.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { AnyPlan } from '../../../../domain/remedy/index.ts'
import { isPlanHash, planOfHash } from '../../../remedy-schemas/index.ts'
import { type Db, sql } from '../../connection/index.ts'

const hashCharsMax = 80

/** Exactly the plan of this hash. */
export async function readPlan(db: Db, hash: string, place: string, digest: Digest): Promise<AnyPlan> {
  const unknown = () => new HoldfastError('E_PLAN_UNKNOWN', { hash: hash.slice(0, hashCharsMax), place })
  if (!isPlanHash(hash)) throw unknown()
  const { rows } = await db.query<{ plan: unknown }>(sql`select plan from remedy_plans where hash = ${hash}`)
  const [stored] = rows
  if (stored === undefined) throw unknown()
  return planOfHash(stored.plan, hash, `${hash} in ${place}`, digest)
}
