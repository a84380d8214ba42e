import type { Instant } from '../../../domain/time.ts'
import { type OnSkipped, readAll } from '../pages.ts'
import { type GitHubRun, runSchema } from '../schemas.ts'
import { type Call, unavailable } from '../transport/call.ts'

/** GitHub shows at most this many results of a search by status or time, the newest first. */
const shownMax = 1_000
/** The number of such windows that are read. */
const partsMax = 20

export interface RunsAsked {
  readonly status?: string
  readonly since?: Instant
}

/** Lists every run of a repository with this status, or since then; a long list is read in windows of time. */
export async function listRuns(
  call: Call,
  path: string,
  asked: RunsAsked,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): Promise<readonly GitHubRun[]> {
  const found = new Map<number, GitHubRun>()
  let until: string | null = null
  for (let part = 0; part < partsMax; part += 1) {
    const address: string = `${path}?${queryOf(asked, until)}`
    const runs: readonly GitHubRun[] = await readAll(call, address, 'workflow_runs', runSchema, signal, {
      itemsMax: shownMax,
      onSkipped,
    })
    for (const run of runs) found.set(run.id, run)
    if (runs.length < shownMax) return [...found.values()]
    // ISO times sort as text.
    const [oldest = '']: string[] = runs.map((run) => run.created_at).sort()
    if (oldest === '' || oldest === until) break
    until = oldest
  }
  throw unavailable(`GET ${path}`, 'there are more runs than GitHub shows')
}

function queryOf({ status, since }: RunsAsked, until: string | null): string {
  const query = new URLSearchParams()
  if (status !== undefined) query.set('status', status)
  const from = since === undefined ? null : new Date(since).toISOString()
  // In GitHub's search syntax for times.
  if (from !== null && until !== null) query.set('created', `${from}..${until}`)
  else if (from !== null) query.set('created', `>=${from}`)
  else if (until !== null) query.set('created', `<=${until}`)
  return query.toString()
}
