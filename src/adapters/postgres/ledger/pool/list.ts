import { isError } from '../../../../domain/errors/index.ts'
import { type Pool, poolDefaults } from '../../../../domain/pool/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { type Row, storedJson } from '../rows/index.ts'

/** The pools that there are, by name. */
export async function listPools(db: Db): Promise<Pool[]> {
  const { rows } = await db.query<Row>(sql`
    select name, spec from pools where removed_at is null order by name`)
  return rows.map(({ name, spec }) => poolOf(name as string, spec))
}

/**
 * A pool whose spec cannot be read stays a pool, so that it is not taken for a retired one, and gets no jobs: it must not
 * keep job events from the other pools. The next `putPools` writes its spec again.
 */
function poolOf(name: string, spec: unknown): Pool {
  try {
    return storedJson.pool(spec, { table: 'pools', id: name, column: 'spec' })
  } catch (error) {
    if (!isError(error, 'E_LEDGER_ROW')) throw error
    return {
      ...poolDefaults,
      name,
      labels: [],
      minWarm: 0,
      maxRunners: 0,
      fairness: noFairness,
      priorities: [],
    }
  }
}

const noFairness: Pool['fairness'] = { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 0 }
