import type { ForgeRunnerFact } from '../../../domain/snapshot/index.ts'
import { wholeInstance } from '../../forge-facts/index.ts'
import { readAll } from '../answers.ts'
import type { Call } from '../call.ts'
import { jobSchema, listedRunnerSchema } from '../schemas.ts'
import { prefixOf } from './places.ts'

/** The runners of a place. Busy is one with a job in progress: Gitea's own word for it means something else. */
export async function readRunners(
  call: Call,
  scope: string,
  signal: AbortSignal,
): Promise<readonly ForgeRunnerFact[]> {
  const prefix = prefixOf(scope)
  const runners = await readAll(call, `${prefix}/actions/runners`, 'runners', listedRunnerSchema, signal)
  if (runners.length === 0) return []
  const path = `${prefix}/actions/jobs?status=in_progress`
  const jobs = await readAll(call, path, 'jobs', jobSchema, signal)
  const busy = new Set(jobs.map((job) => job.runner_id))
  return runners.map(({ id, name, status, labels, version }) => ({
    scope: scope === wholeInstance ? null : scope,
    id,
    name,
    isOnline: status === 'online',
    isBusy: busy.has(id),
    labels: (labels ?? []).map((label) => label.name),
    version: version || null,
  }))
}
