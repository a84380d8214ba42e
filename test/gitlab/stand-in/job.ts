/** One job as the test orders it. */
export interface JobOrder {
  readonly name: string
  /** The runner that gets it, by its token. */
  readonly token: string
  readonly script: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
}

/** Reasons that this GitLab knows: a runner sends no others. */
const failureReasons = [
  'script_failure',
  'runner_system_failure',
  'job_execution_timeout',
  'runner_external_dependency_failure',
  'runner_interrupted',
  'unknown_failure',
]
export const projectId = 31
const timeoutSeconds = 900

/** The answer to a runner that asks for a job. The address of the repository is the one that people see. */
export function jobPayload(id: number, { name, script, variables = {} }: JobOrder, webUrl: string): object {
  const none = '0'.repeat(40)
  const given = {
    CI_JOB_ID: `${id}`,
    CI_JOB_NAME: name,
    CI_PROJECT_ID: `${projectId}`,
    CI_PROJECT_PATH: 'acme/web',
    CI_PROJECT_NAMESPACE: 'acme',
    CI_PIPELINE_ID: '1',
    CI_COMMIT_SHA: none,
    GIT_STRATEGY: 'none',
    ...variables,
  }
  return {
    id,
    token: `job-${id}`,
    allow_git_fetch: false,
    job_info: { id, name, stage: 'test', project_id: projectId, project_name: 'web' },
    git_info: {
      repo_url: `${webUrl}/acme/web.git`,
      ref: 'main',
      ref_type: 'branch',
      sha: none,
      before_sha: none,
    },
    runner_info: { timeout: timeoutSeconds },
    variables: Object.entries(given).map(([key, value]) => ({ key, value, public: true })),
    steps: [{ name: 'script', script, timeout: timeoutSeconds, when: 'on_success', allow_failure: false }],
    image: { name: 'holdfast.test/busybox:1' },
    features: { failure_reasons: failureReasons },
  }
}
