import type { JsonObject } from './schema.ts'

const repo = '/repos/{owner}/{repo}'
const runnerCalls = (scope: string): string[] => [
  `GET ${scope}/actions/runners`,
  `POST ${scope}/actions/runners/generate-jitconfig`,
  `GET ${scope}/actions/runners/{runner_id}`,
  `DELETE ${scope}/actions/runners/{runner_id}`,
  `GET ${scope}/actions/runners/downloads`,
  `POST ${scope}/actions/runners/registration-token`,
  `POST ${scope}/actions/runners/remove-token`,
  ...['GET', 'POST', 'PUT', 'DELETE'].map((verb) => `${verb} ${scope}/actions/runners/{runner_id}/labels`),
  `DELETE ${scope}/actions/runners/{runner_id}/labels/{name}`,
]
const groupCalls = (scope: string): string[] => [
  `GET ${scope}/actions/runner-groups`,
  `GET ${scope}/actions/runner-groups/{runner_group_id}`,
  `GET ${scope}/actions/runner-groups/{runner_group_id}/runners`,
]
const deliveryCalls = (hook: string): string[] => [
  `GET ${hook}/deliveries`,
  `GET ${hook}/deliveries/{delivery_id}`,
  `POST ${hook}/deliveries/{delivery_id}/attempts`,
]

/** The operations of GitHub that a runner fleet calls, whose description the fixture keeps. */
export const operations: readonly string[] = [
  'GET /app',
  'GET /app/installations',
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /rate_limit',
  'GET /app/hook/config',
  'PATCH /app/hook/config',
  ...deliveryCalls('/app/hook'),
  'GET /user/repos',
  'GET /users/{username}/installation',
  'GET /orgs/{org}',
  'GET /orgs/{org}/installation',
  ...runnerCalls('/orgs/{org}'),
  ...groupCalls('/orgs/{org}'),
  'GET /orgs/{org}/actions/runner-groups/{runner_group_id}/repositories',
  `GET ${repo}`,
  `GET ${repo}/installation`,
  ...runnerCalls(repo),
  `GET ${repo}/actions/runs`,
  `GET ${repo}/actions/runs/{run_id}`,
  `DELETE ${repo}/actions/runs/{run_id}`,
  `GET ${repo}/actions/runs/{run_id}/timing`,
  `GET ${repo}/actions/runs/{run_id}/pending_deployments`,
  `POST ${repo}/actions/runs/{run_id}/pending_deployments`,
  `GET ${repo}/actions/runs/{run_id}/jobs`,
  `GET ${repo}/actions/runs/{run_id}/attempts/{attempt_number}`,
  `GET ${repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs`,
  `POST ${repo}/actions/runs/{run_id}/cancel`,
  `POST ${repo}/actions/runs/{run_id}/force-cancel`,
  `POST ${repo}/actions/runs/{run_id}/rerun`,
  `POST ${repo}/actions/runs/{run_id}/rerun-failed-jobs`,
  `GET ${repo}/actions/workflows`,
  `GET ${repo}/actions/workflows/{workflow_id}`,
  `GET ${repo}/actions/workflows/{workflow_id}/runs`,
  `GET ${repo}/actions/jobs/{job_id}`,
  `GET ${repo}/actions/jobs/{job_id}/logs`,
  `POST ${repo}/actions/jobs/{job_id}/rerun`,
  `GET ${repo}/check-runs/{check_run_id}/annotations`,
  `GET ${repo}/hooks`,
  `GET ${repo}/hooks/{hook_id}`,
  `GET ${repo}/hooks/{hook_id}/config`,
  `PATCH ${repo}/hooks/{hook_id}/config`,
  `POST ${repo}/hooks/{hook_id}/pings`,
  ...deliveryCalls(`${repo}/hooks/{hook_id}`),
]

/** Operations that only GitHub Enterprise Cloud describes. */
export const enterpriseOperations: readonly string[] = [
  ...runnerCalls('/enterprises/{enterprise}'),
  ...groupCalls('/enterprises/{enterprise}'),
  'GET /enterprises/{enterprise}/actions/runner-groups/{runner_group_id}/organizations',
  'GET /enterprises/{enterprise}/installation',
]

/** Schemas of which Enterprise Cloud has a longer list of permissions: github.com's is the one that we are held to. */
export const keptOfFirst: readonly string[] = ['app-permissions']

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
  'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs': { created: { type: 'string' } },
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
