import type { Attempt } from '../attempt/index.ts'
import type { Job } from '../job/index.ts'
import type { Change } from './change.ts'
import { type JobFate, type planEnd, retiredConclusion } from './end.ts'

type End = Parameters<typeof planEnd>[1]

/** The transition of a job that a person closes. */
export const retirement: Extract<Change, { on: 'job' }>['transition'] = {
  kind: 'cancelled',
  conclusion: retiredConclusion,
  forgeCompletedAt: null,
}

/**
 * The end of an attempt whose forge installation is no longer served: no event will come. The order of the operator who
 * closes it is the evidence (I3). It does not claim that the runner has ended: that end is sealed separately.
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
