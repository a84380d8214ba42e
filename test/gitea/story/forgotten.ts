import { setTimeout as sleep } from 'node:timers/promises'
import type { GiteaJob, People } from '../people.ts'

/** Gitea releases the next job within a second; ten times that on a slow machine. */
const releasedWithinMs = 10_000

/**
 * Cancels runs that Gitea has forgotten, and names their jobs. Gitea stores the end of a job first and then enqueues
 * the release of the jobs that need it: killed in between, it leaves them blocked until its clean-up after a day, and
 * no runner may take them. See docs/design/gitea.md, "Killed between two jobs".
 */
export async function cancelForgottenRuns(
  people: People,
  repositories: readonly string[],
): Promise<readonly string[]> {
  const before = await forgottenRuns(people, repositories)
  if (before.size === 0) return []
  await sleep(releasedWithinMs)
  const cancelled: string[] = []
  for (const [runId, { repository, blocked }] of await forgottenRuns(people, repositories)) {
    if (!before.has(runId)) continue
    await people.cancelRun(repository, runId)
    cancelled.push(...blocked.map((name) => `${name} of ${repository}`))
  }
  return cancelled
}

interface ForgottenRun {
  readonly repository: string
  readonly blocked: readonly string[]
}

/** Runs with blocked jobs (`waiting` at Gitea) of which no other job is queued or runs. */
async function forgottenRuns(
  people: People,
  repositories: readonly string[],
): Promise<ReadonlyMap<number, ForgottenRun>> {
  const forgotten = new Map<number, ForgottenRun>()
  for (const repository of repositories) {
    for (const [runId, jobs] of Map.groupBy(await people.jobs(repository), byRun)) {
      const open = jobs.filter(({ status }) => status !== 'completed')
      if (open.length === 0 || open.some(({ status }) => status !== 'waiting')) continue
      forgotten.set(runId, { repository, blocked: open.map(({ name }) => name) })
    }
  }
  return forgotten
}

function byRun({ run_id }: GiteaJob): number {
  return run_id
}
