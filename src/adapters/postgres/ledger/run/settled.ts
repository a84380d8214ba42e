import type { Instant } from '../../../../domain/time.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { inService, inUnknownState } from '../rows/index.ts'

/**
 * Runs with a job first seen since then, and none that is open. A job does not end before it is seen: so the
 * indexes of what has ended find it, and history is not read. What is in a state that only a newer version knows may be
 * open.
 */
export async function settledRuns(db: Db, installation: string, since: Instant): Promise<Set<number>> {
  const { rows } = await db.query<{ run_id: number }>(sql`
    with begun as (
      select run_id from jobs
       where installation = ${installation} and seen_at >= ${instant(since)} and ended_at >= ${instant(since)}
       union
      select run_id from archived_jobs
       where installation = ${installation} and seen_at >= ${instant(since)} and ended_at >= ${instant(since)}
    )
    select run_id from begun
    except
    select run_id from jobs where installation = ${installation} and state = 'queued'
    except
    select run_id from jobs where installation = ${installation} and state in ${inService}
    except
    select run_id from jobs where installation = ${installation} and ${inUnknownState}`)
  return new Set(rows.map(({ run_id }) => run_id))
}
