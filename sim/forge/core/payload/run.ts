import type { Repository, Run } from '../model.ts'
import { developerPayload } from './account.ts'
import { minimalRepositoryPayload } from './repository.ts'
import { headSha, idOfName, isoTime, type Json, type Links } from './shape.ts'

/** A run as the REST API shows it. */
export function runPayload(
  run: Run,
  status: string,
  conclusion: string | null,
  repository: Repository,
  links: Links,
): Json {
  const api = `${links.api}/repos/${run.repository}`
  const self = `${api}/actions/runs/${run.id}`
  const workflowId = idOfName(`${run.repository} ${run.name}`)
  const suiteId = run.id
  const inside = minimalRepositoryPayload(repository, links)
  const developer = developerPayload(links)
  return {
    id: run.id,
    name: run.name,
    node_id: `WFR_${run.id}`,
    head_branch: 'main',
    head_sha: headSha(run.id),
    path: `.github/workflows/${workflowId}.yml`,
    display_title: run.name,
    run_number: run.id,
    run_attempt: run.attempt,
    event: 'workflow_dispatch',
    status,
    conclusion,
    workflow_id: workflowId,
    check_suite_id: suiteId,
    check_suite_node_id: `CS_${suiteId}`,
    url: self,
    html_url: `${links.web}/${run.repository}/actions/runs/${run.id}`,
    pull_requests: [],
    created_at: isoTime(run.createdAt),
    updated_at: isoTime(run.updatedAt),
    actor: developer,
    triggering_actor: developer,
    referenced_workflows: [],
    run_started_at: isoTime(run.createdAt),
    jobs_url: `${self}/jobs`,
    logs_url: `${self}/logs`,
    check_suite_url: `${api}/check-suites/${suiteId}`,
    artifacts_url: `${self}/artifacts`,
    cancel_url: `${self}/cancel`,
    rerun_url: `${self}/rerun`,
    previous_attempt_url: run.attempt === 1 ? null : `${self}/attempts/${run.attempt - 1}`,
    workflow_url: `${api}/actions/workflows/${workflowId}`,
    head_commit: commitPayload(run),
    repository: inside,
    head_repository: inside,
  }
}

function commitPayload(run: Run): Json {
  const author = { name: 'Developer', email: 'developer@forge.invalid' }
  return {
    id: headSha(run.id),
    tree_id: headSha(run.id),
    message: run.name,
    timestamp: isoTime(run.createdAt),
    author,
    committer: author,
  }
}
