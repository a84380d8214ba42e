import type { ForgeJobFact } from '../../../domain/snapshot/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { JobsRead } from '../../forge-facts/index.ts'
import { mapBounded } from '../../forge-http/index.ts'
import { readAll } from '../answers.ts'
import { type Call, unavailable } from '../call.ts'
import { jobEventOf, repositoryOf } from '../job-event.ts'
import { jobFactOf } from '../job-fact.ts'
import { jobsOfRun, openJobs, runsOverSince } from '../list-jobs.ts'
import type { Numbers } from '../numbers.ts'
import { type GiteaJobDetail, jobDetailSchema } from '../schemas.ts'
import type { Versions } from '../version.ts'
import { prefixOf } from './places.ts'

/** How jobs are read and numbered. */
export interface JobFactsDeps {
  readonly call: Call
  readonly numbers: Numbers
  readonly versions: Versions
  readonly installation: string
  readonly clock: Clock
}

/** The open jobs of a repository or the whole instance, and those of runs that ended since. A run that was deleted has none. */
export async function readJobs(
  deps: JobFactsDeps,
  place: string,
  since: Instant,
  signal: AbortSignal,
): Promise<JobsRead> {
  const prefix = prefixOf(place)
  const open = await readAll(deps.call, `${prefix}${openJobs}`, 'jobs', jobDetailSchema, signal)
  const runs = await runsOverSince(deps.call, prefix, { since }, signal)
  const reads = await mapBounded(runs, (run) => jobsOfRun(deps.call, run, jobDetailSchema, signal))
  const ended = reads.flatMap((read) => (read.kind === 'jobs' ? read.jobs : []))
  // Ended jobs were read after open ones, so they are newer.
  const newest = new Map([...open, ...ended].map((job) => [job.id, job]))
  const closed = new Set(reads.flatMap((read) => (read.kind === 'closed' ? [read.repository] : [])))
  return {
    jobs: await factsOf([...newest.values()], deps, signal),
    refused: [...closed].map((name) => ({ place: name, why: 'the repository is gone, or not ours to see' })),
  }
}

async function factsOf(
  jobs: readonly GiteaJobDetail[],
  { numbers, versions, installation, clock }: JobFactsDeps,
  signal: AbortSignal,
): Promise<readonly ForgeJobFact[]> {
  const { counting } = versions.current() ?? (await versions.read(signal))
  const facts: ForgeJobFact[] = []
  for (const job of jobs) {
    const repository = repositoryOf(job.url)
    if (repository === null) throw unavailable('GET jobs', `it gave a job of no repository: ${job.url}`)
    const numbered = await numbers.ofListed(job, counting, clock.now())
    const fact = jobFactOf(job, jobEventOf(job, { installation, repository, ...numbered }))
    // A job that waits for others waits for no runner.
    facts.push(job.status === 'waiting' ? { ...fact, status: job.status } : fact)
  }
  return facts
}
