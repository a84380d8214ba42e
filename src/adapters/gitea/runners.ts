import type { ForgeRunner } from '../../ports/forge.ts'
import { readAll, unexpected } from './answers.ts'
import type { Call } from './call.ts'
import { jobSchema, runnerSchema } from './schemas.ts'

/** The runner of this name; null: there is none. */
export async function findRunner(
  call: Call,
  place: string,
  name: string,
  signal: AbortSignal,
): Promise<ForgeRunner | null> {
  const runners = await readAll(call, `${place}/actions/runners`, 'runners', runnerSchema, signal)
  // Gitea does not mind two of one name; of ours there is one, and the newest is the one in question.
  const found = runners.filter((runner) => runner.name === name).sort((a, b) => b.id - a.id)[0]
  if (found === undefined) return null
  const busy = await isBusy(call, place, found.id, signal)
  return { id: found.id, name, online: found.status === 'online', busy }
}

/**
 * First the runner is disabled, so that Gitea gives it nothing more; then we look whether it has a job; then it goes.
 * Gitea itself would remove a busy one, and its job would hang until the zombie timeout. What is left: Gitea was
 * already choosing a job for it when it was disabled, and wrote the choice after our look. Such a job fails by that
 * timeout, and is not lost: the ledger hears its end.
 */
export async function removeRunner(
  call: Call,
  place: string,
  id: number,
  signal: AbortSignal,
): Promise<'removed' | 'busy' | 'unknown'> {
  const path = `${place}/actions/runners/${id}`
  const disabled = await call.rest('PATCH', path, signal, { body: { disabled: true } })
  if (disabled.status === 404) return 'unknown'
  // An older Gitea cannot disable runners: it leaves the time between look and removal open.
  if (disabled.status !== 200 && disabled.status !== 405) throw unexpected(disabled, `PATCH ${path}`)
  if (await isBusy(call, place, id, signal)) return 'busy'
  const answer = await call.rest('DELETE', path, signal)
  if (answer.status === 204) return 'removed'
  if (answer.status === 404) return 'unknown'
  throw unexpected(answer, `DELETE ${path}`)
}

/**
 * Whether Gitea has a job in progress on it. Its own word `busy` means something else: that the runner reported on a
 * job in the last ten seconds, so that one with a fresh job is not busy, nor one whose program hangs.
 */
async function isBusy(call: Call, place: string, id: number, signal: AbortSignal): Promise<boolean> {
  const path = `${place}/actions/jobs?status=in_progress`
  const jobs = await readAll(call, path, 'jobs', jobSchema, signal)
  return jobs.some((job) => job.runner_id === id)
}
