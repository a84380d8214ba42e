import type { ForgeRunner } from '../../ports/forge.ts'
import { readAll, unexpected } from './answers.ts'
import type { Call } from './call.ts'
import { jobSchema, runnerSchema } from './schemas.ts'

/** The runner of this name; null: there is none. */
export async function findRunner(
  call: Call,
  prefix: string,
  name: string,
  signal: AbortSignal,
): Promise<ForgeRunner | null> {
  const runners = await readAll(call, `${prefix}/actions/runners`, 'runners', runnerSchema, signal)
  // Gitea allows two runners of one name; ours is the newest.
  const found = runners.filter((runner) => runner.name === name).sort((a, b) => b.id - a.id)[0]
  if (found === undefined) return null
  const busy = await isBusy(call, prefix, found.id, signal)
  return { id: found.id, name, online: found.status === 'online', busy }
}

/**
 * Disables the runner, so that Gitea assigns it no more jobs; then checks whether it has one; then removes it. Gitea
 * itself would remove a busy one, and its job would hang until the zombie timeout. One race remains: Gitea was already
 * assigning a job when the runner was disabled, and wrote it after our check. Such a job fails by that timeout, and is
 * not lost: the ledger receives its end.
 */
export async function removeRunner(
  call: Call,
  prefix: string,
  id: number,
  signal: AbortSignal,
): Promise<'removed' | 'busy' | 'unknown'> {
  const path = `${prefix}/actions/runners/${id}`
  const disabled = await call.rest('PATCH', path, signal, { body: { disabled: true } })
  if (disabled.status === 404) return 'unknown'
  // An older Gitea cannot disable runners: the race between check and removal stays.
  if (disabled.status !== 200 && disabled.status !== 405) throw unexpected(disabled, `PATCH ${path}`)
  if (await isBusy(call, prefix, id, signal)) return 'busy'
  const answer = await call.rest('DELETE', path, signal)
  if (answer.status === 204) return 'removed'
  if (answer.status === 404) return 'unknown'
  throw unexpected(answer, `DELETE ${path}`)
}

/**
 * Whether Gitea has a job in progress on the runner. Gitea's `busy` means something else: that the runner reported on a
 * job in the last ten seconds, so that one with a fresh job is not busy, nor one whose program hangs.
 */
async function isBusy(call: Call, prefix: string, id: number, signal: AbortSignal): Promise<boolean> {
  const path = `${prefix}/actions/jobs?status=in_progress`
  const jobs = await readAll(call, path, 'jobs', jobSchema, signal)
  return jobs.some((job) => job.runner_id === id)
}
