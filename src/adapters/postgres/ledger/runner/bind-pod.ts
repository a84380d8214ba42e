import type { RunnerLedger } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { groupCommitAll } from '../group-commit.ts'

interface RunnersPod {
  readonly runnerId: number
  readonly podUid: string
}

/** The first pod is its own from then on; the same again is the same. A runner that never was has none. */
export function createPodBinding(db: Db): RunnerLedger['bindPod'] {
  const bindTogether = groupCommitAll<RunnersPod, 'bound' | 'other'>({
    conflict: (a, b) => a.runnerId === b.runnerId,
    async run(pods) {
      const bound = await bindAll(db, pods)
      return pods.map(({ runnerId }) => (bound.has(runnerId) ? 'bound' : 'other'))
    },
  })
  return (runnerId, podUid) => bindTogether({ runnerId, podUid })
}

/** Whose pod it is now. Rows are locked in the order of their ids, as by everybody. */
async function bindAll(db: Db, pods: readonly RunnersPod[]): Promise<ReadonlySet<number>> {
  const inOrder = pods.toSorted((a, b) => a.runnerId - b.runnerId)
  const { rows } = await db.query<{ id: number }>(
    prepared(
      'bind-pods',
      sql`
    with pods as (
      select id, uid, pod_uid
        from unnest(${inOrder.map(({ runnerId }) => runnerId)}::bigint[],
                    ${inOrder.map(({ podUid }) => podUid)}::text[]) as pod (id, uid)
        join runners using (id)
       where pod_uid is null or pod_uid = uid
       order by id
         for no key update of runners
    ), bound as (
      update runners set pod_uid = uid
        from pods
       where runners.id = pods.id and pods.pod_uid is null
    )
    select id from pods`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}
