import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { LockedRows } from '../../../../domain/job-event/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, instant, prepared, sql } from '../../connection/index.ts'
import { instantOrNull, text } from '../rows/index.ts'

/** Writes what transitions change of runners, if they are still in the states that the plan was made for. */
export async function writeRunners(tx: Db, runners: readonly Runner[], before: LockedRows): Promise<void> {
  if (runners.length === 0) return
  const { rowCount } = await tx.query(
    prepared(
      'write-runners',
      sql`
    update runners
       set state = moved.state,
           polled_at = moved.polled_at,
           ever_claimed = moved.ever_claimed,
           fenced_at = moved.fenced_at,
           ended_at = moved.ended_at,
           reason = moved.reason,
           evidence_id = moved.evidence_id,
           check_at = moved.check_at
      from unnest(
             ${runners.map(({ id }) => id)}::bigint[],
             ${runners.map(({ id }) => before.runners.get(id)?.state ?? '')}::text[],
             ${runners.map(({ state }) => state)}::text[],
             ${runners.map(({ polledAt }) => instantOrNull(polledAt))}::timestamptz[],
             ${runners.map(({ everClaimed }) => everClaimed)}::boolean[],
             ${runners.map(({ fencedAt }) => instantOrNull(fencedAt))}::timestamptz[],
             ${runners.map(({ endedAt }) => instantOrNull(endedAt))}::timestamptz[],
             ${runners.map(({ reason }) => (reason === null ? null : text(reason)))}::text[],
             ${runners.map(({ evidenceId }) => evidenceId)}::bigint[],
             ${runners.map(({ checkAt }) => instant(checkAt))}::timestamptz[]
           ) as moved (id, was, state, polled_at, ever_claimed, fenced_at, ended_at, reason, evidence_id, check_at)
     where runners.id = moved.id and runners.state = moved.was`,
    ),
  )
  if (rowCount !== runners.length) {
    const ids = runners.map(({ id }) => id).join(', ')
    throw new HoldfastError('E_BUG', { what: `of the runners ${ids} one changed although it was locked` })
  }
}
