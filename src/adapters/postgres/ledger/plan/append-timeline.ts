import type { TimelineEntry } from '../../../../domain/job-event/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { json } from '../rows/index.ts'

/** Appends what happened, in the order in which it happened. */
export async function appendTimeline(tx: Db, entries: readonly TimelineEntry[], cause: Cause): Promise<void> {
  if (entries.length === 0) return
  await tx.query(
    prepared(
      'append-timeline',
      sql`
    insert into timeline (subject, subject_id, job_id, kind, source, rule, facts)
    select subject, subject_id, job_id, kind, ${cause.source}, ${cause.rule ?? null}::text, facts
      from unnest(
             ${entries.map(({ subject }) => subject)}::text[],
             ${entries.map(({ subjectId }) => subjectId)}::bigint[],
             ${entries.map(({ jobId }) => jobId)}::bigint[],
             ${entries.map(({ kind }) => kind)}::text[],
             ${entries.map(({ facts }) => json(facts))}::jsonb[]
           ) with ordinality as entry (subject, subject_id, job_id, kind, facts, place)
     order by place`,
    ),
  )
}
