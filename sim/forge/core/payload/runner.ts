import type { Runner } from '../model.ts'
import type { Json, Links } from './shape.ts'

/** A runner as the REST API shows it. */
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

/** The one group of runners that every organisation has. */
export function runnerGroupPayload(organization: string, links: Links): Json {
  const self = `${links.api}/orgs/${organization}/actions/runner-groups/1`
  return {
    id: 1,
    name: 'Default',
    visibility: 'all',
    default: true,
    runners_url: `${self}/runners`,
    inherited: false,
    allows_public_repositories: true,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  }
}
