import type { Runner, RunnerGroup } from '../model.ts'
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
    runner_group_id: runner.group ?? 1,
    labels: runnerLabels(runner.labels),
  }
}

/** The labels of a runner. */
export function runnerLabels(labels: readonly string[]): readonly Json[] {
  return labels.map((name, index) => ({
    id: index + 1,
    name,
    type: name.toLowerCase() === 'self-hosted' ? 'read-only' : 'custom',
  }))
}

/** A group of an organisation's runners, or of an enterprise's. `of` is its address below the API's. */
export function runnerGroupPayload(group: RunnerGroup, of: string, links: Links): Json {
  const { number, name, visibility, allowsPublic } = group
  const self = `${links.api}${of}/actions/runner-groups/${number}`
  const isEnterprise = of.startsWith('/enterprises/')
  const selected = isEnterprise ? 'organizations' : 'repositories'
  return {
    id: number,
    name,
    visibility,
    default: number === 1,
    ...(visibility === 'selected' && { [`selected_${selected}_url`]: `${self}/${selected}` }),
    runners_url: `${self}/runners`,
    ...(!isEnterprise && { inherited: false }),
    allows_public_repositories: allowsPublic,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  }
}
