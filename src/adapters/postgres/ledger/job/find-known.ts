import { isMoved } from '../../../../domain/binding/index.ts'
import { awaitsApproval } from '../../../../domain/job/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import type { Said } from './said.ts'

/** What is known of a job before anything is locked. */
export interface KnownJob {
  readonly jobId: number
  readonly ended: boolean
  /** It is withheld until somebody approves it at the forge. */
  readonly awaitsApproval: boolean
  /** It is open, and the forge has it in another repository than we do. */
  readonly isMoved: boolean
}

/** Of which of these words the jobs are known. One in the archive is: a late word about it changes nothing (I8). */
export async function findKnown<One extends Pick<Said, 'word'>>(
  tx: Db,
  said: readonly One[],
): Promise<Map<One, KnownJob>> {
  if (said.length === 0) return new Map()
  const { rows } = await tx.query<{
    place: number
    id: number
    ended: boolean
    awaiting: boolean
    repository: string
  }>(
    prepared(
      'find-known',
      sql`
    select place, known.id, known.ended, known.awaiting, known.repository
      from unnest(
             ${said.map(({ word }) => word.job.installation)}::text[],
             ${said.map(({ word }) => word.job.forgeJobId)}::bigint[]
           ) with ordinality as said (installation, forge_job_id, place)
     cross join lateral (
             select id, ended_at is not null as ended,
                    quarantine is not distinct from ${awaitsApproval}::text and state = 'queued' as awaiting,
                    repository
               from jobs
              where jobs.installation = said.installation and jobs.forge_job_id = said.forge_job_id
             union all
             select id, true, false, repository from archived_jobs
              where archived_jobs.installation = said.installation
                and archived_jobs.forge_job_id = said.forge_job_id
             limit 1
           ) as known`,
    ),
  )
  return new Map(
    rows.map(({ place, id, ended, awaiting, repository }) => {
      const one = said[place - 1] as One
      const moved = !ended && isMoved({ repository }, one.word)
      return [one, { jobId: id, ended, awaitsApproval: awaiting, isMoved: moved }]
    }),
  )
}
