import type { JobFacts, Pending } from '../model.ts'
import { developerPayload } from './account.ts'
import { headSha, isoTime, type Json, type Links } from './shape.ts'

/** An environment for which jobs of a run wait. */
export function pendingPayload({ id, name, jobs }: Pending, links: Links): Json {
  const repository = jobs[0]?.repository ?? ''
  return {
    environment: {
      id,
      node_id: `EN_${id}`,
      name,
      url: `${links.api}/repos/${repository}/environments/${encodeURIComponent(name)}`,
      html_url: `${links.web}/${repository}/deployments/activity_log?environments_filter=${encodeURIComponent(name)}`,
    },
    wait_timer: 0,
    wait_timer_started_at: null,
    current_user_can_approve: true,
    reviewers: [{ type: 'User', reviewer: developerPayload(links) }],
  }
}

/** The deployment of a job to its environment. */
export function deploymentPayload(job: JobFacts, links: Links): Json {
  const api = `${links.api}/repos/${job.repository}`
  const self = `${api}/deployments/${job.id}`
  const environment = job.environment ?? ''
  const at = isoTime(job.createdAt, links)
  return {
    url: self,
    id: job.id,
    node_id: `DE_${job.id}`,
    task: 'deploy',
    original_environment: environment,
    environment,
    description: null,
    created_at: at,
    updated_at: at,
    statuses_url: `${self}/statuses`,
    repository_url: api,
    creator: developerPayload(links),
    sha: headSha(job.runId),
    ref: 'main',
    payload: {},
    transient_environment: false,
    production_environment: false,
    performed_via_github_app: null,
  }
}
