import type { RunHead } from '../../domain/run-attempt/index.ts'
import type { ForgeScope } from '../../ports/forge.ts'
import { expectBody } from './answers.ts'
import type { Call } from './call.ts'
import { repositoryPath } from './registration-path.ts'
import { runHeadListSchema, runHeadSchema } from './schemas.ts'

const newestRuns = 50

/** Reads the commit of a run, and whether its branch has gone on; null: Gitea does not know the run. Ids of runs grow. */
export async function readRunHead(
  call: Call,
  { repository }: Pick<ForgeScope, 'repository'>,
  runId: number,
  signal: AbortSignal,
): Promise<RunHead | null> {
  const path = `${repositoryPath(repository)}/actions/runs`
  const answer = await call.rest('GET', `${path}/${runId}`, signal)
  if (answer.status === 404) return null
  const run = expectBody(answer, 200, runHeadSchema, `GET ${path}/${runId}`)
  const { head_branch: branch = null, head_sha: headSha = null } = run
  const isOver = run.status === 'completed'
  if (branch === null || headSha === null) return { isOver, headSha, branch, newerSha: null }
  const list = `${path}?branch=${encodeURIComponent(branch)}&limit=${newestRuns}`
  const listed = expectBody(await call.rest('GET', list, signal), 200, runHeadListSchema, `GET ${list}`)
  const newer = (listed.workflow_runs ?? []).find((each) => each.id > runId && each.head_sha !== headSha)
  return { isOver, headSha, branch, newerSha: newer?.head_sha ?? null }
}
