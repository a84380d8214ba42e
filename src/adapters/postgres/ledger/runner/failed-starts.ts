import { startProblemKinds } from '../../../../domain/pool/index.ts'
import { type FailedStart, failedStartsMax } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'

/**
 * Runners that ended on a node without having started. Where nothing is known to have been wrong, it must have ended
 * by itself and never asked for work: who was taken away before its turn says nothing about its node.
 */
export async function failedStarts(db: Db, host: string, withinMs: number): Promise<FailedStart[]> {
  const { rows } = await db.query<Omit<FailedStart, 'startProblem'> & { startProblem: string | null }>(sql`
    select runners.name as runner, runners.pool, record #>> '{ending,pod,place,node}' as node,
           record #>> '{ending,pod,trouble,kind}' as "startProblem", sealed_at as at
      from evidence
      join runners on runners.id = evidence.runner_id
     where kind = 'runner-death'
       and record #>> '{ending,pod,place,node}' is not null
       and (record #>> '{ending,startedAt}' is null or record ->> 'class' = 'never-started')
       and sealed_at >= now() - ${milliseconds(withinMs)}::interval
       and runners.host = ${host}
       and (record #>> '{ending,pod,trouble,kind}' is not null
            or (polled_at is null
                and record #>> '{ending,stopRequestedBy}' is null
                and record #>> '{ending,pod,deletedAt}' is null
                and record #>> '{ending,pod,disruption,reason}' is null))
     order by sealed_at desc, evidence.id desc
     limit ${failedStartsMax}`)
  return rows.flatMap(({ startProblem, ...row }): FailedStart[] => {
    if (startProblem === null) return [{ ...row, startProblem }]
    // Of a kind that only a newer version knows nobody can say here whether the node is to blame.
    const known = startProblemKinds.find((kind) => kind === startProblem)
    return known === undefined ? [] : [{ ...row, startProblem: known }]
  })
}
