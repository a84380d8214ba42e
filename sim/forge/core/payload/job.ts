import type { Job, JobFacts, JobMessage, Repository } from '../model.ts'
import { type JobStep, jobSteps } from '../steps.ts'
import { developerPayload, organizationPayload } from './account.ts'
import { deploymentPayload } from './deployment.ts'
import { repositoryPayload } from './repository.ts'
import { headSha, isoTime, type Json, type Links } from './shape.ts'

/** A job as GitHub's REST API and its webhooks both show it. */
export function jobPayload(job: JobFacts, workflow: string, links: Links): Json {
  const api = `${links.api}/repos/${job.repository}`
  const web = `${links.web}/${job.repository}`
  return {
    id: job.id,
    run_id: job.runId,
    run_url: `${api}/actions/runs/${job.runId}`,
    run_attempt: job.runAttempt,
    node_id: `CR_${job.id}`,
    head_sha: headSha(job.runId),
    head_branch: 'main',
    workflow_name: workflow,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${web}/actions/runs/${job.runId}/job/${job.id}`,
    check_run_url: `${api}/check-runs/${job.id}`,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    created_at: isoTime(job.createdAt, links),
    // GitHub gives a queued job a start too: the time at which it was queued.
    started_at: isoTime(job.startedAt ?? job.createdAt, links),
    completed_at: job.completedAt === null ? null : isoTime(job.completedAt, links),
    steps: jobSteps(job).map((step) => stepPayload(step, links)),
    labels: job.labels,
    runner_id: job.runnerId,
    runner_name: job.runnerName,
    runner_group_id: job.runnerId === null ? null : (job.runnerGroup?.number ?? 1),
    runner_group_name: job.runnerId === null ? null : (job.runnerGroup?.name ?? 'Default'),
  }
}

function stepPayload({ startedAt, completedAt, ...step }: JobStep, links: Links): Json {
  const time = (at: number | null) => (at === null ? null : isoTime(at, links))
  return { ...step, started_at: time(startedAt), completed_at: time(completedAt) }
}

/** The body of a `workflow_job` webhook. */
export function jobMessagePayload(
  { job, workflow, action }: Pick<JobMessage, 'job' | 'workflow' | 'action'>,
  around: Json,
  links: Links,
): Json {
  const deployment = job.environment !== undefined && { deployment: deploymentPayload(job, links) }
  return {
    action: action ?? job.status,
    workflow_job: jobPayload(job, workflow, links),
    ...deployment,
    ...around,
  }
}

/** The fields of every message about a repository; `installationId` is null where the hook is no App's. */
export function surroundings(repository: Repository, installationId: number | null, links: Links): Json {
  const login = repository.fullName.split('/')[0] ?? ''
  return {
    repository: repositoryPayload(repository, links),
    ...(!repository.isPersonal && { organization: organizationPayload(login, links) }),
    sender: developerPayload(links),
    ...(installationId !== null && {
      installation: { id: installationId, node_id: `MDIz_${installationId}` },
    }),
  }
}

/** The annotations of a job; only failures of the runner are written here. */
export function annotationPayload(message: string, job: Job, links: Links): Json {
  return {
    path: '.github',
    blob_href: `${links.web}/${job.repository}/blob/${headSha(job.runId)}/.github`,
    start_line: 1,
    start_column: null,
    end_line: 1,
    end_column: null,
    annotation_level: 'failure',
    title: '',
    message,
    raw_details: '',
  }
}
