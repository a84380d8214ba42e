import type { JsonObject } from './schema.ts'

const repo = '/repos/{owner}/{repo}'
const runnerCalls = (scope: string): string[] => [
  `GET ${scope}/actions/runners`,
  `POST ${scope}/actions/runners/generate-jitconfig`,
  `GET ${scope}/actions/runners/{runner_id}`,
  `DELETE ${scope}/actions/runners/{runner_id}`,
]
const groupCalls = (scope: string): string[] => [
  `GET ${scope}/actions/runner-groups`,
  `GET ${scope}/actions/runner-groups/{runner_group_id}`,
]
const deliveryCalls = (hook: string): string[] => [
  `GET ${hook}/deliveries`,
  `GET ${hook}/deliveries/{delivery_id}`,
  `POST ${hook}/deliveries/{delivery_id}/attempts`,
]

/** What a runner fleet asks of GitHub: the operations whose description the fixture keeps. */
export const operations: readonly string[] = [
  'GET /app',
  'GET /app/installations',
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /rate_limit',
  ...deliveryCalls('/app/hook'),
  'GET /user/repos',
  'GET /orgs/{org}',
  ...runnerCalls('/orgs/{org}'),
  ...groupCalls('/orgs/{org}'),
  'GET /orgs/{org}/actions/runner-groups/{runner_group_id}/repositories',
  `GET ${repo}`,
  `GET ${repo}/installation`,
  ...runnerCalls(repo),
  `GET ${repo}/actions/runs`,
  `GET ${repo}/actions/runs/{run_id}`,
  `GET ${repo}/actions/runs/{run_id}/jobs`,
  `GET ${repo}/actions/runs/{run_id}/attempts/{attempt_number}`,
  `GET ${repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs`,
  `POST ${repo}/actions/runs/{run_id}/cancel`,
  `POST ${repo}/actions/runs/{run_id}/force-cancel`,
  `POST ${repo}/actions/runs/{run_id}/rerun`,
  `POST ${repo}/actions/runs/{run_id}/rerun-failed-jobs`,
  `GET ${repo}/actions/jobs/{job_id}`,
  `GET ${repo}/actions/jobs/{job_id}/logs`,
  `POST ${repo}/actions/jobs/{job_id}/rerun`,
  `GET ${repo}/check-runs/{check_run_id}/annotations`,
  `GET ${repo}/hooks`,
  `POST ${repo}/hooks/{hook_id}/pings`,
  ...deliveryCalls(`${repo}/hooks/{hook_id}`),
]

/** What only GitHub Enterprise Cloud describes. */
export const enterpriseOperations: readonly string[] = [
  ...runnerCalls('/enterprises/{enterprise}'),
  ...groupCalls('/enterprises/{enterprise}'),
  'GET /enterprises/{enterprise}/actions/runner-groups/{runner_group_id}/organizations',
]

/**
 * Where the description contradicts itself, the schema that stands there instead. The list of installations
 * has a copy of its own in which an account must be a person and an enterprise at once; one installation does not.
 */
export const correctedBodies: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  'GET /app/installations': {
    '200': { type: 'array', items: { $ref: '#/components/schemas/installation' } },
  },
}

/** Query parameters whose described form is narrower than what GitHub documents: times in its search syntax. */
export const correctedQueries: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  'GET /repos/{owner}/{repo}/actions/runs': { created: { type: 'string' } },
}

/** The events whose schemas and examples the fixture keeps, each with all of its actions. */
export const events: readonly string[] = [
  'installation',
  'installation_repositories',
  'ping',
  'workflow_job',
  'workflow_run',
]

/** Errors that GitHub gives on every path, whether or not the path's description names them. */
export const commonErrorSchema = 'basic-error'
