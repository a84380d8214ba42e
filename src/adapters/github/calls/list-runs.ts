import type { Instant } from '../../../domain/time.ts'
import { type OnSkipped, readAll } from '../pages.ts'
import { type GitHubRun, runSchema } from '../schemas.ts'
import { type Call, unavailable } from '../transport/call.ts'

/** Of a list of runs that is searched by status or time GitHub shows no more, the newest first. */
const SHOWN_MAX = 1_000
/** So often the next older thousand is asked for. */
const PARTS_MAX = 20

export interface RunsAsked {
  readonly status?: string
  readonly since?: Instant
}

/** Every run of a repository with this status, or since then; a long list is read in parts by time. */
export async function listRuns(
  call: Call,
  path: string,
  asked: RunsAsked,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): Promise<readonly GitHubRun[]> {
  const found = new Map<number, GitHubRun>()
  let until: string | null = null
  for (let part = 0; part < PARTS_MAX; part += 1) {
    const address: string = `${path}?${queryOf(asked, until)}`
    const runs: readonly GitHubRun[] = await readAll(call, address, 'workflow_runs', runSchema, signal, {
      itemsMax: SHOWN_MAX,
      onSkipped,
    })
    for (const run of runs) found.set(run.id, run)
    if (runs.length < SHOWN_MAX) return [...found.values()]
    // Times that are written alike are in order as texts.
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
