import type { Rows } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { instantOrNull, text } from '../rows/index.ts'

/** Writes what a transition changes of a job, if it is still in the state that the plan was made for. */
export async function writeJob(tx: Db, job: Job, before: Rows): Promise<void> {
  const { rowCount } = await tx.query(sql`
    update jobs
       set state = ${job.state},
           conclusion = ${job.conclusion === null ? null : text(job.conclusion)},
           executor = ${job.executor === null ? null : text(job.executor)},
           mint_failures = ${job.mintFailures},
           requeues = ${job.requeues},
           not_before = ${instant(job.notBefore)},
           quarantine = ${job.quarantine === null ? null : text(job.quarantine)},
           forge_started_at = ${instantOrNull(job.forgeStartedAt)},
           forge_completed_at = ${instantOrNull(job.forgeCompletedAt)},
           check_at = ${instant(job.checkAt)},
           ended_at = ${instantOrNull(job.endedAt)}
     where id = ${job.id} and state = ${before.jobs.get(job.id)?.state ?? ''}`)
  if (rowCount !== 1)
    throw new HoldfastError('E_BUG', { what: `job ${job.id} changed although it was locked` })
}
