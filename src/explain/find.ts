import { HoldfastError } from '../domain/errors/index.ts'
import type { Job } from '../domain/job/index.ts'
import type { JobFile, Ledger, RunnerFile } from '../ports/ledger.ts'
import { sealedDeath } from './sealed.ts'
import { type Meaning, meaningsOf, meaningText } from './subject.ts'

/** What the ledger knows of a subject: at least one of the two files. */
export interface Found {
  readonly kind: 'job' | 'runner' | 'pod'
  readonly job: JobFile | null
  readonly runner: RunnerFile | null
}

export type FindLedger = Pick<Ledger, 'jobFile' | 'findJob' | 'jobs' | 'runnerFile' | 'runnerOfPod'>

/** Which forge is served, for names of it. */
export interface ServedForge {
  readonly installation: string
  readonly kind: string
}

/** A run has few jobs, and those asked about are new: so many of its repository are looked through. */
const RUN_LOOKED_THROUGH_MAX = 500
/** Gitea keeps a job's id when it runs again; each time is a job of its own here (docs/design/gitea.md). */
const GITEA_PER_TIME = 10 ** 12
const GITEA_TIMES_MAX = 20

/** Throws E_SUBJECT_UNKNOWN with all that was tried, or E_SUBJECT_AMBIGUOUS with what it may mean. */
export async function findSubject(text: string, ledger: FindLedger, forge: ServedForge): Promise<Found> {
  const meanings = meaningsOf(text)
  const found: { readonly meaning: Meaning; readonly found: Found }[] = []
  const tried: string[] = []
  for (const meaning of meanings) {
    const result = await lookUp(meaning, text, ledger, forge)
    if (typeof result === 'string') tried.push(`${meaningText(meaning)}${result}`)
    else if (!found.some((other) => isSame(other.found, result))) found.push({ meaning, found: result })
  }
  const [first, ...others] = found
  if (first === undefined) {
    const forms = 'nothing: it is neither a job number, a job URL, a runner, a pod nor a pod UID'
    throw new HoldfastError('E_SUBJECT_UNKNOWN', {
      subject: text,
      tried: tried.length === 0 ? [forms] : tried,
    })
  }
  if (others.length > 0) {
    const lines = found.map(({ found: each }) => jobLine(each.job?.job))
    throw new HoldfastError('E_SUBJECT_AMBIGUOUS', { subject: text, meanings: lines })
  }
  return first.found
}

/** The file, or how the looking ended. */
async function lookUp(
  meaning: Meaning,
  text: string,
  ledger: FindLedger,
  forge: ServedForge,
): Promise<Found | string> {
  switch (meaning.kind) {
    case 'our-job':
      return ofJob(await ledger.jobFile(meaning.id), ledger)
    case 'forge-job': {
      const job = await ledger.findJob(meaning.installation ?? forge.installation, meaning.forgeJobId)
      return ofJob(job && (await ledger.jobFile(job.id)), ledger)
    }
    case 'job-url': {
      const job = await findNewest(meaning.forgeJobId, ledger, forge)
      const stranger = job === null ? null : strangeness(job, meaning)
      return stranger ?? ofJob(job && (await ledger.jobFile(job.id)), ledger)
    }
    case 'run-url':
      return ofRun(meaning, text, ledger)
    case 'runner':
      return ofRunner('runner', await ledger.runnerFile(meaning.name), ledger)
    case 'pod':
      return ofPod(meaning, ledger)
    case 'pod-uid': {
      const name = await ledger.runnerOfPod(meaning.uid)
      return ofRunner('pod', name === null ? null : await ledger.runnerFile(name), ledger)
    }
  }
}

async function ofJob(file: JobFile | null, ledger: FindLedger): Promise<Found | string> {
  if (file === null) return ''
  const newest = file.attempts.at(-1)
  const runner = newest === undefined ? null : await ledger.runnerFile(newest.forgeRunnerName)
  return { kind: 'job', job: file, runner: runner?.runner.id === newest?.runnerId ? runner : null }
}

async function ofRunner(
  kind: 'runner' | 'pod',
  file: RunnerFile | null,
  ledger: FindLedger,
): Promise<Found | string> {
  if (file === null) return ''
  const newest = file.attempts.at(-1)
  return { kind, job: newest === undefined ? null : await ledger.jobFile(newest.job.id), runner: file }
}

async function ofPod(
  { namespace, name }: Extract<Meaning, { kind: 'pod' }>,
  ledger: FindLedger,
): Promise<Found | string> {
  const file = await ledger.runnerFile(name)
  const place = file && sealedDeath(file.evidence, file.runner.id)?.record.ending?.pod?.place
  if (namespace !== null && place && place.namespace !== namespace)
    return `; the one that is known was in the namespace ${place.namespace}`
  return ofRunner('pod', file, ledger)
}

async function ofRun(
  { repository, runId }: Extract<Meaning, { kind: 'run-url' }>,
  text: string,
  ledger: FindLedger,
): Promise<Found | string> {
  const { rows, unreadable } = await ledger.jobs({ repository, limit: RUN_LOOKED_THROUGH_MAX })
  const jobs = rows.filter((job) => job.runId === runId)
  const [only, ...others] = jobs
  if (only === undefined)
    return unreadable.length === 0
      ? ''
      : `; ${unreadable.length} of its jobs can be read by a newer version only`
  if (others.length > 0) {
    throw new HoldfastError('E_SUBJECT_AMBIGUOUS', { subject: text, meanings: jobs.map(jobLine) })
  }
  return ofJob(await ledger.jobFile(only.id), ledger)
}

/** The last time that the forge ran a job of this id. */
async function findNewest(
  id: number,
  ledger: FindLedger,
  { installation, kind }: ServedForge,
): Promise<Job | null> {
  let newest = await ledger.findJob(installation, id)
  for (let time = 1; kind === 'gitea' && newest !== null && time < GITEA_TIMES_MAX; time += 1) {
    const next = await ledger.findJob(installation, id + time * GITEA_PER_TIME)
    if (next === null) break
    newest = next
  }
  return newest
}

/** Numbers of different forges can be the same: a URL must agree in all that it says. */
function strangeness(job: Job, { repository, runId }: Extract<Meaning, { kind: 'job-url' }>): string | null {
  if (job.repository.toLowerCase() !== repository.toLowerCase())
    return `; the job of this number here is one of ${job.repository}`
  return runId === null || job.runId === runId
    ? null
    : `; the job of this number here is one of run ${job.runId}`
}

function isSame(a: Found, b: Found): boolean {
  return a.job?.job.id === b.job?.job.id && a.runner?.runner.id === b.runner?.runner.id
}

function jobLine(job: Job | undefined): string {
  if (job === undefined) return 'a runner'
  return `job/${job.id}: ${job.repository} · ${job.name} (${job.installation}:${job.forgeJobId}, ${job.state})`
}
