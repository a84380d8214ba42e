import type { Violation } from '../../sim/invariants/index.ts'
import { type Db, type Sql, sql } from '../../src/adapters/postgres/connection/index.ts'

interface HistoryCheck {
  readonly invariant: string
  readonly what: string
  /** Gives the subjects for which it does not hold. */
  readonly broken: Sql
}

/** Invariants of the history are checked by queries: there is too much of it to read. */
const checks: readonly HistoryCheck[] = [
  {
    invariant: 'I8',
    what: 'lives and is archived',
    broken: sql`select 'job ' || jobs.id as subject from jobs join archived_jobs using (installation, forge_job_id)`,
  },
  {
    invariant: 'I8',
    what: 'lived twice',
    broken: sql`select 'job ' || id as subject from archived_jobs where life > 1`,
  },
  {
    invariant: 'I8',
    what: 'ended more than once',
    broken: sql`
      select 'job ' || job_id as subject from timeline
       where subject = 'job' and kind in ('completed', 'cancelled', 'lost') group by job_id having count(*) > 1`,
  },
  {
    invariant: 'I8',
    what: 'is archived without one end in its file',
    broken: sql`
      select 'job ' || id as subject from archived_jobs
       where jsonb_array_length(jsonb_path_query_array(file, '$.timeline[*] ? (@.subject == "job" &&
               (@.kind == "completed" || @.kind == "cancelled" || @.kind == "lost"))')) <> 1`,
  },
  {
    invariant: 'I8',
    what: 'was judged lost twice, or is not lost, or without the death of its runner',
    broken: sql`
      select 'job ' || jobs.id as subject
        from jobs join timeline on timeline.job_id = jobs.id and subject = 'job' and kind = 'judgedLost'
       group by jobs.id
      having count(*) > 1 or jobs.state <> 'lost'
          or not exists (select from attempts join ends using (runner_id)
                          where attempts.job_id = jobs.id and forge_runner_name = jobs.executor and class <> 'clean')`,
  },
  {
    invariant: 'I3',
    what: 'is archived with a delivered attempt that ended without evidence',
    broken: sql`
      select 'job ' || id as subject from archived_jobs
       where file @? '$.attempts[*] ? (@.deliveredAt != null && @.evidenceId == null)'
          or file @? '$.attempts[*] ? (@.endedAt == null)'`,
  },
  {
    invariant: 'I5',
    what: 'ended, and is not among the ends',
    broken: sql`
      select 'runner ' || id as subject
        from (select id from runners where ended_at is not null union all select id from archived_runners) as dead
       where not exists (select from ends where runner_id = dead.id)`,
  },
  {
    invariant: 'I5',
    what: 'is among the ends, and lives',
    broken: sql`
      select 'runner ' || runner_id as subject from ends
       where exists (select from runners where runners.id = ends.runner_id and ended_at is null)`,
  },
  {
    invariant: 'archive',
    what: 'could not be archived',
    broken: sql`select kind || ' ' || id || ' (' || reason || ')' as subject from set_aside`,
  },
]

/** The first that does not hold. */
export async function historyChecks(tx: Db): Promise<Violation | null> {
  for (const { invariant, what, broken } of checks) {
    const { rows } = await tx.query<{ subject: string }>(broken)
    if (rows[0] !== undefined) return { invariant, what: `${rows[0].subject} ${what} (${rows.length} such)` }
  }
  return null
}
