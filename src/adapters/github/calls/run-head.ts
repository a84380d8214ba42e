import type { RunHead } from '../../../domain/run-attempt/index.ts'
import type { ForgeScope } from '../../../ports/forge.ts'
import { runHeadListSchema, runHeadSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { expectBody } from '../transport/expect.ts'
import { repositoryPath } from './paths.ts'

/** The newest runs of a branch that are looked at: the newest of another commit is among them. */
const newestRuns = 50

/**
 * Reads the commit of a run, and whether its branch has gone on; null: GitHub does not know the run. By the runs of the branch,
 * which needs no right to read its code: a newer commit for which no workflow ran is not seen.
 */
export async function readRunHead(
  call: Call,
  { repository }: Pick<ForgeScope, 'repository'>,
  runId: number,
  signal: AbortSignal,
): Promise<RunHead | null> {
  const path = `${repositoryPath(repository)}/actions/runs`
  const answer = await call('GET', `${path}/${runId}`, signal)
  if (answer.status === 404) return null
  const run = expectBody(answer, 200, runHeadSchema, `GET ${path}/${runId}`)
  const { head_branch: branch = null, head_sha: headSha = null } = run
  const isOver = run.status === 'completed'
  if (branch === null || headSha === null) return { isOver, headSha, branch, newerSha: null }
  const list = `${path}?branch=${encodeURIComponent(branch)}&per_page=${newestRuns}`
  const { workflow_runs: runs } = expectBody(
    await call('GET', list, signal),
    200,
    runHeadListSchema,
    `GET ${list}`,
  )
  const newer = runs.find(
    (each) =>
      each.created_at > run.created_at &&
      each.head_sha !== headSha &&
      each.head_repository?.id === run.head_repository?.id,
  )
  return { isOver, headSha, branch, newerSha: newer?.head_sha ?? null }
}
