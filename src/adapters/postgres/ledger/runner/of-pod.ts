import { type Db, sql } from '../../connection/index.ts'
import { text } from '../rows/index.ts'
import { archivedRunnerOfPod } from './archived.ts'

/** The runner whose death record names this pod; by the index `evidence_by_pod`. */
export async function runnerOfPod(db: Db, podUid: string): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(sql`
    select runners.name
      from evidence
      join runners on runners.id = evidence.runner_id
     where evidence.kind = 'runner-death' and evidence.record #>> '{ending,pod,place,uid}' = ${text(podUid)}
     order by evidence.id desc
     limit 1`)
  return rows[0]?.name ?? (await archivedRunnerOfPod(db, text(podUid)))
}
