import type { Instant, Job, Repository, Run, Runner } from './model.ts'

/** Where the forge says that its things can be read. */
export interface Links {
  readonly api: string
  readonly web: string
}

export type Json = Readonly<Record<string, unknown>>

/** A job as GitHub's REST API and its webhooks both show it. */
export function jobPayload(job: Job, run: Run, links: Links): Json {
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
    workflow_name: run.name,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${web}/actions/runs/${job.runId}/job/${job.id}`,
    check_run_url: `${api}/check-runs/${job.id}`,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    created_at: isoTime(job.createdAt),
    // GitHub gives a queued job a start too: the time at which it was queued.
    started_at: isoTime(job.startedAt ?? job.createdAt),
    completed_at: job.completedAt === null ? null : isoTime(job.completedAt),
    steps: [],
    labels: job.labels,
    runner_id: job.runnerId,
    runner_name: job.runnerName,
    runner_group_id: job.runnerId === null ? null : 1,
    runner_group_name: job.runnerId === null ? null : 'Default',
  }
}

/** The body of a `workflow_job` webhook. */
export function webhookPayload(
  action: Job['status'],
  job: Job,
  run: Run,
  repository: Repository,
  links: Links,
): Json {
  const shown = repositoryPayload(repository, links)
  return { action, workflow_job: jobPayload(job, run, links), repository: shown, sender: shown.owner }
}

export function repositoryPayload(repository: Repository, links: Links): Json {
  const [login, name] = repository.fullName.split('/')
  return {
    id: repository.id,
    node_id: `R_${repository.id}`,
    name,
    full_name: repository.fullName,
    private: true,
    owner: { login, id: repository.id, node_id: `O_${login}`, type: 'Organization', site_admin: false },
    html_url: `${links.web}/${repository.fullName}`,
    url: `${links.api}/repos/${repository.fullName}`,
    default_branch: 'main',
  }
}

export function runPayload(
  run: Run,
  status: Job['status'],
  conclusion: string | null,
  repository: Repository,
  links: Links,
): Json {
  const api = `${links.api}/repos/${run.repository}/actions/runs/${run.id}`
  return {
    id: run.id,
    name: run.name,
    node_id: `WFR_${run.id}`,
    head_branch: 'main',
    head_sha: headSha(run.id),
    run_number: run.id,
    run_attempt: run.attempt,
    event: 'workflow_dispatch',
    status,
    conclusion,
    url: api,
    html_url: `${links.web}/${run.repository}/actions/runs/${run.id}`,
    jobs_url: `${api}/jobs`,
    created_at: isoTime(run.createdAt),
    updated_at: isoTime(run.updatedAt),
    repository: repositoryPayload(repository, links),
  }
}

export function runnerPayload(runner: Runner): Json {
  return {
    id: runner.id,
    name: runner.name,
    os: runner.state === 'minted' ? 'unknown' : 'Linux',
    status: runner.state === 'online' ? 'online' : 'offline',
    busy: runner.jobId !== null,
    ephemeral: true,
    runner_group_id: 1,
    labels: runner.labels.map((name, index) => ({ id: index + 1, name, type: 'custom' })),
  }
}

/** Whole seconds, as GitHub writes its times. */
function isoTime(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

function headSha(runId: number): string {
  return runId.toString(16).padStart(40, '0')
}
