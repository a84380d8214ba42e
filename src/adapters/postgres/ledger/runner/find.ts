import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { type Row, runnerColumns, toRunner } from '../rows/index.ts'

export async function findRunner(db: Db, name: string): Promise<Runner | null> {
  const { rows } = await db.query<Row>(sql`select ${runnerColumns} from runners where name = ${name}`)
  return rows[0] === undefined ? null : toRunner(rows[0])
}
