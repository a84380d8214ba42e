import { awaitsApproval } from '../../../../domain/job/index.ts'
import { changesOrigin, isMoved } from '../../../../domain/job-event/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { originOfRow } from '../rows/index.ts'
import type { PendingEvent } from './pending-event.ts'

/** Facts about a job that are read before anything is locked. */
export interface KnownJob {
  readonly jobId: number
  readonly ended: boolean
  /** It is withheld until somebody approves it at the forge. */
  readonly awaitsApproval: boolean
  /** It is open, and the forge has it in another repository than we do, or says more of what it runs. */
  readonly isMoved: boolean
}

/** The jobs of these events that are known. An archived one is: a late event about it changes nothing (I8). */
export async function findKnown<One extends Pick<PendingEvent, 'event' | 'cause'>>(
  tx: Db,
  events: readonly One[],
): Promise<Map<One, KnownJob>> {
  if (events.length === 0) return new Map()
  const { rows } = await tx.query<{
    place: number
    id: number
    ended: boolean
    awaiting: boolean
    repository: string
    visibility: string | null
    is_fork: boolean | null
  }>(
    prepared(
      'find-known',
      sql`
    select place, known.id, known.ended, known.awaiting, known.repository, known.visibility, known.is_fork
      from unnest(
             ${events.map(({ event }) => event.job.installation)}::text[],
             ${events.map(({ event }) => event.job.forgeJobId)}::bigint[]
           ) with ordinality as asked (installation, forge_job_id, place)
     cross join lateral (
             select id, ended_at is not null as ended,
                    quarantine is not distinct from ${awaitsApproval}::text and state = 'queued' as awaiting,
                    repository, visibility, is_fork
               from jobs
              where jobs.installation = asked.installation and jobs.forge_job_id = asked.forge_job_id
             union all
             select id, true, false, repository, null, null from archived_jobs
              where archived_jobs.installation = asked.installation
                and archived_jobs.forge_job_id = asked.forge_job_id
             limit 1
           ) as known`,
    ),
  )
  return new Map(
    rows.map(({ place, id, ended, awaiting, repository, visibility, is_fork }) => {
      const one = events[place - 1] as One
      const origin = originOfRow(visibility, is_fork)
      const moved =
        !ended && (isMoved({ repository }, one.event) || changesOrigin(origin, one.event, one.cause))
      return [one, { jobId: id, ended, awaitsApproval: awaiting, isMoved: moved }]
    }),
  )
}
