import type { Incident } from '../../domain/incident/index.ts'
import type { Job } from '../../domain/job/index.ts'
import { reachOf } from '../../domain/queue/index.ts'
import type { ApiReach } from '../contracts/reach.ts'
import { safeText } from './safe.ts'

/** Whether a runner of ours can be given the job, in the terms of the API. */
export function reach(job: Job, incidents: readonly Incident[], served?: string): ApiReach {
  const found = reachOf(job, incidents, served)
  return found === null ? null : { ...found, sentence: safeText(found.sentence) }
}
