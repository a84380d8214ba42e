import { reasonOf } from '../../domain/reason.ts'
import type { UnreadableJob, UnreadableRunner } from '../../ports/ledger.ts'
import type { ApiUnreadableJob } from '../contracts/job.ts'
import type { ApiUnreadableRunner } from '../contracts/runner.ts'
import { safeText } from './safe.ts'

/** The known part of a job that only a newer version can read. */
export function unreadableJobView(job: UnreadableJob): ApiUnreadableJob {
  const { id, installation, repository, name, error } = job
  return { id, installation, repository, name, why: whyOf(error) }
}

/** The known part of a runner that only a newer version can read. */
export function unreadableRunnerView({ id, name, pool, error }: UnreadableRunner): ApiUnreadableRunner {
  return { id, name, pool, why: whyOf(error) }
}

function whyOf(error: unknown): string {
  return safeText(reasonOf(error))
}
