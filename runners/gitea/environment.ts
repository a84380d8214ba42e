import type { Task } from './service.ts'

/** Passed on where they are set; by the HOLDFAST marks a host finds what a runner has started. */
const inherited = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...['HOLDFAST_RUNNER', 'HOLDFAST_HOST'],
]
/** Keys of Gitea's context that a script finds as `GITHUB_…`. */
const named = [
  ...['actor', 'event_name', 'job', 'ref', 'ref_name', 'ref_type', 'repository', 'repository_owner'],
  ...['run_attempt', 'run_id', 'run_number', 'server_url', 'sha', 'workflow', 'api_url'],
]

/** A clean environment for the steps: nothing of this program's own beyond what is named here. */
export function environmentOf(
  task: Task,
  runnerName: string,
  { workspace, temporary }: { readonly workspace: string; readonly temporary: string },
): Record<string, string> {
  const kept = inherited.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const context = named.flatMap((name) => {
    const value = task.context?.[name]
    return value === undefined || value === null
      ? []
      : [[`GITHUB_${name.toUpperCase()}`, String(value)] as const]
  })
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(context),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITEA_ACTIONS: 'true',
    GITHUB_WORKSPACE: workspace,
    RUNNER_NAME: runnerName,
    RUNNER_TEMP: temporary,
  }
}
