import type { ApiJobFile, JobList } from '../../../src/api/index.ts'
import type { GiteaJob, People } from '../people.ts'

const perAttempt = 1_000_000_000_000
const openStates = 'queued,claimed,delivered,registered,running'

/** Under which number the ledger knows what Gitea shows of a job now; from 1.27 on by its id alone. */
export function ledgerNumber({ id, run_attempt, runner_id }: GiteaJob, { keepsJobIds }: People): number {
  if (!keepsJobIds) return id
  const attempt = (runner_id ?? 0) > 0 ? run_attempt : run_attempt + 1
  return id + (attempt - 1) * perAttempt
}

/** A job's file, or null where the ledger does not know it. */
export async function jobFile(holdfastUrl: string, number: number): Promise<ApiJobFile | null> {
  const answer = await fetch(`${holdfastUrl}/v1/jobs/gitea:${number}`)
  if (answer.status === 404) return null
  if (!answer.ok) throw new Error(`gitea:${number}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as ApiJobFile
}

/** The newest time of a job that the ledger knows: Gitea does not count one that ended before a runner had it. */
async function newestFile(holdfastUrl: string, job: GiteaJob, people: People): Promise<ApiJobFile | null> {
  const first = ledgerNumber(job, people)
  let file = await jobFile(holdfastUrl, first)
  for (let number = first + perAttempt; file !== null; number += perAttempt) {
    const later = await jobFile(holdfastUrl, number)
    if (later === null) break
    file = later
  }
  return file
}

export interface Comparison {
  /** Differences that may still resolve themselves. */
  readonly waiting: readonly string[]
  /** Differences that never will. */
  readonly wrong: readonly string[]
  readonly jobs: number
}

/** Compares Gitea's jobs with the ledger's. */
export async function compare(
  people: People,
  holdfastUrl: string,
  repositories: readonly string[],
): Promise<Comparison> {
  const waiting: string[] = []
  const wrong: string[] = []
  let jobs = 0
  for (const repository of repositories) {
    for (const job of await people.jobs(repository)) {
      jobs += 1
      const name = `${repository} ${job.name} (${job.id})`
      const file = await newestFile(holdfastUrl, job, people)
      const here = file === null ? 'unknown' : (file.job.outcome ?? file.job.state)
      if (job.status !== 'completed') waiting.push(`${name} is ${job.status} at Gitea, ${here} here`)
      else if ((job.runner_id ?? 0) === 0) {
        // Nobody ran it: the ledger may know that it was cancelled, and need not know that it ever was.
        if (file !== null && file.job.outcome === null) waiting.push(`${name} is over at Gitea, ${here} here`)
      } else if (file === null || file.job.outcome === null) {
        waiting.push(`${name} is ${job.conclusion} at Gitea, ${here} here`)
      } else if (!agrees(file.job.outcome, job.conclusion ?? '')) {
        wrong.push(`${name} is ${job.conclusion} at Gitea, ${here} here`)
      }
    }
  }
  const open = await fetch(`${holdfastUrl}/v1/jobs?state=${openStates}&limit=500`)
  for (const job of ((await open.json()) as JobList).jobs) {
    waiting.push(`gitea:${job.forgeJobId} ${job.repository} ${job.name} is ${job.state} here`)
  }
  return { waiting, wrong, jobs }
}

function agrees(outcome: string, conclusion: string): boolean {
  return outcome === 'lost' ? conclusion === 'failure' : outcome === conclusion
}
