import type { Repository, RunAction, RunFacts } from '../model.ts'
import { accountPayload, developerLogin } from './account.ts'
import { minimalRepositoryPayload } from './repository.ts'
import { headSha, idOfName, isoTime, type Json, type Links } from './shape.ts'

const madeAt = '2020-01-01T00:00:00Z'

export const defaultBranch = 'main'
export const defaultEvent = 'workflow_dispatch'

/** A run as the REST API shows it. */
export function runPayload(
  run: RunFacts,
  status: string,
  conclusion: string | null,
  repository: Repository,
  links: Links,
): Json {
  const api = `${links.api}/repos/${run.repository}`
  const self = `${api}/actions/runs/${run.id}`
  const { id: workflowId, path } = workflowOf(run)
  const suiteId = run.id
  const inside = minimalRepositoryPayload(repository, links)
  const actor = accountPayload(run.actor ?? developerLogin, 'User', links)
  return {
    id: run.id,
    name: run.name,
    node_id: `WFR_${run.id}`,
    head_branch: run.branch ?? defaultBranch,
    head_sha: headSha(run.id),
    path,
    display_title: run.name,
    run_number: run.id,
    run_attempt: run.attempt,
    event: run.event ?? defaultEvent,
    status,
    conclusion,
    workflow_id: workflowId,
    check_suite_id: suiteId,
    check_suite_node_id: `CS_${suiteId}`,
    url: self,
    html_url: `${links.web}/${run.repository}/actions/runs/${run.id}`,
    pull_requests: [],
    created_at: isoTime(run.createdAt, links),
    updated_at: isoTime(run.updatedAt, links),
    actor,
    triggering_actor: actor,
    referenced_workflows: [],
    run_started_at: isoTime(run.begunAgainAt?.[run.attempt - 2] ?? run.createdAt, links),
    jobs_url: `${self}/jobs`,
    logs_url: `${self}/logs`,
    check_suite_url: `${api}/check-suites/${suiteId}`,
    artifacts_url: `${self}/artifacts`,
    cancel_url: `${self}/cancel`,
    rerun_url: `${self}/rerun`,
    previous_attempt_url: run.attempt === 1 ? null : `${self}/attempts/${run.attempt - 1}`,
    workflow_url: `${api}/actions/workflows/${workflowId}`,
    head_commit: commitPayload(run, links),
    repository: inside,
    head_repository: run.fork === undefined ? inside : forkPayload(run.fork, repository, links),
  }
}

/** The body of a `workflow_run` webhook. */
export function runMessagePayload(
  message: { action: RunAction; run: RunFacts; status: string; conclusion: string | null },
  repository: Repository,
  around: Json,
  links: Links,
): Json {
  const { action, run, status, conclusion } = message
  return {
    action,
    workflow: workflowPayload(run, links),
    workflow_run: runPayload(run, status, conclusion, repository, links),
    ...around,
  }
}

/** The workflow of which something is a run. */
export function workflowPayload(run: Pick<RunFacts, 'repository' | 'name'>, links: Links): Json {
  const { id, path } = workflowOf(run)
  return {
    id,
    node_id: `W_${id}`,
    name: run.name,
    path,
    state: 'active',
    created_at: madeAt,
    updated_at: madeAt,
    url: `${links.api}/repos/${run.repository}/actions/workflows/${id}`,
    html_url: `${links.web}/${run.repository}/blob/main/${path}`,
    badge_url: `${links.web}/${run.repository}/workflows/${id}/badge.svg`,
  }
}

/** A fork is as public as what it was made of. */
function forkPayload(fullName: string, { isPublic = false }: Repository, links: Links): Json {
  const fork = { id: idOfName(fullName), fullName, isPersonal: true, isPublic }
  return { ...minimalRepositoryPayload(fork, links), fork: true }
}

function workflowOf({ repository, name }: Pick<RunFacts, 'repository' | 'name'>): {
  id: number
  path: string
} {
  const id = idOfName(`${repository} ${name}`)
  return { id, path: `.github/workflows/${id}.yml` }
}

function commitPayload(run: RunFacts, links: Links): Json {
  const author = { name: 'Developer', email: 'developer@forge.invalid' }
  return {
    id: headSha(run.id),
    tree_id: headSha(run.id),
    message: run.name,
    timestamp: isoTime(run.createdAt, links),
    author,
    committer: author,
  }
}
