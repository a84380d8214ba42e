import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { JobTruth, Truth } from '../../../sim/forge/core/index.ts'
import type { JobList, JobSummary } from '../../../src/api/index.ts'
import type { Place } from './place.ts'

const lookEveryMs = 100
const endedWithinMs = 40_000

/** Submits scripts to the simulated forge, each as a job; gives the forge's numbers. */
export async function submit(place: Place, ...scripts: readonly string[]): Promise<number[]> {
  const ids: number[] = []
  for (const script of scripts) {
    const job = { repository: 'acme/web', name: 'test', labels: ['self-hosted'], script }
    ids.push(((await askForge(place, 'jobs', job)) as { id: number }).id)
  }
  return ids
}

/** The forge's true history of these jobs; throws where anything ran twice at once. */
export async function truthOf(place: Place, ids: readonly number[]): Promise<JobTruth[]> {
  const { jobs, overlaps } = (await askForge(place, 'truth')) as Truth
  if (overlaps.length > 0) throw new Error(`must never be: ${JSON.stringify(overlaps)}`)
  return jobs.filter(({ id }) => ids.includes(id))
}

/** Every job that Holdfast knows, by the forge's number. */
export async function knownJobs(place: Place): Promise<Map<number, JobSummary>> {
  const answer = await fetch(`${place.url}/v1/jobs?limit=500`)
  const { jobs } = (await answer.json()) as JobList
  return new Map(jobs.map((job) => [job.forgeJobId, job]))
}

/** Waits until Holdfast has these jobs as wished, and gives them; says how they were where that does not come. */
export async function until(
  place: Place,
  ids: readonly number[],
  wished: (job: JobSummary) => boolean,
): Promise<JobSummary[]> {
  const deadline = performance.now() + endedWithinMs
  for (;;) {
    // While its database is away Holdfast answers with an error.
    const known = await knownJobs(place).catch(() => new Map<number, JobSummary>())
    const jobs = ids.map((id) => known.get(id))
    if (jobs.every((job) => job !== undefined && wished(job))) return jobs as JobSummary[]
    if (performance.now() > deadline) {
      const states = ids.map((id) => `${id}: ${known.get(id)?.state ?? 'unknown'}`)
      throw new Error(`after ${endedWithinMs} ms the jobs are ${states.join(', ')}`)
    }
    await setTimeout(lookEveryMs)
  }
}

/** Waits until these jobs have ended, in Holdfast's own view; gives how. */
export async function outcomesOf(place: Place, ids: readonly number[]): Promise<(string | null)[]> {
  return (await until(place, ids, (job) => job.endedAt !== null)).map(({ outcome }) => outcome)
}

/** How often each of these jobs was started, and how it ended, as the forge has it. */
export async function startsAndEnds(place: Place, ids: readonly number[]): Promise<string[]> {
  const jobs = await truthOf(place, ids)
  return jobs.map(({ starts, conclusion }) => `${starts.length} start, ${conclusion}`)
}

/** Plays the people's part at the simulated forge, or asks it for the truth. */
export async function askForge(place: Place, where: string, body?: unknown): Promise<unknown> {
  const token = await readFile(path.join(place.dataDir, 'operator-token'), 'utf8')
  const answer = await fetch(`${place.forgeUrl}/_sim/${where}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${where}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
