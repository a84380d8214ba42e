import type { Attempt } from '../attempt/index.ts'
import type { Job } from '../job/index.ts'
import type { Change } from './change.ts'
import { type JobFate, type planEnd, retiredConclusion } from './end.ts'

type End = Parameters<typeof planEnd>[1]

/** What becomes of a job that a person closes. */
export const retirement: Extract<Change, { on: 'job' }>['event'] = {
  kind: 'cancelled',
  conclusion: retiredConclusion,
  forgeCompletedAt: null,
}

/**
 * A person says that nobody will hear of this job any more, because its forge installation is not served. That word is
 * the evidence with which its attempt ends (I3). Whether the runner still works is not claimed: its end is sealed apart.
 */
export function retiredEnd(
  { job, attempt }: { readonly job: Job; readonly attempt: Attempt },
  saidBy: string,
): End {
  const { installation, forgeJobId, repository } = job
  const record = { saidBy, installation, forgeJobId, repository, attemptState: attempt.state }
  const fate: JobFate = { kind: 'retired' }
  return { kind: 'retired', proof: { kind: 'retired', record }, fate }
}

/** Whether a person closed it so. */
export function isRetired({ conclusion }: Pick<Job, 'conclusion'>): boolean {
  return conclusion === retiredConclusion
}
