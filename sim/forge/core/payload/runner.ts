import type { Runner } from '../model.ts'
import type { Json } from './shape.ts'

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
