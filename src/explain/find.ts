import { HoldfastError } from '../domain/errors/index.ts'
import { type ForgeKindName, forgeKinds } from '../domain/forge/index.ts'
import type { Job } from '../domain/job/index.ts'
import type { JobFile, JobReader, RunnerFile, RunnerReader } from '../ports/ledger.ts'
import { sealedDeath } from './sealed.ts'
import { type Meaning, meaningsOf, meaningText } from './subject.ts'

/** A subject in the ledger: at least one of the two files. */
export interface FoundSubject {
  readonly kind: 'job' | 'runner' | 'pod'
  readonly job: JobFile | null
  readonly runner: RunnerFile | null
}

export type FindLedger = JobReader & RunnerReader

/** Which forge is served, for names of it. */
export interface ServedForge {
  readonly installation: string
  readonly kind: ForgeKindName
}

/** A run has few jobs, and those asked about are new: so many of its repository are looked through. */
const runLookedThroughMax = 500

/** Throws E_SUBJECT_UNKNOWN with all that was tried, or E_SUBJECT_AMBIGUOUS with what it may mean. */
export async function findSubject(
  text: string,
  ledger: FindLedger,
  forge: ServedForge,
): Promise<FoundSubject> {
  const meanings = meaningsOf(text)
  const found: { readonly meaning: Meaning; readonly found: FoundSubject }[] = []
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
): Promise<FoundSubject | string> {
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

async function ofJob(file: JobFile | null, ledger: FindLedger): Promise<FoundSubject | string> {
  if (file === null) return ''
  const newest = file.attempts.at(-1)
  const runner = newest === undefined ? null : await ledger.runnerFile(newest.forgeRunnerName)
  return { kind: 'job', job: file, runner: runner?.runner.id === newest?.runnerId ? runner : null }
}

async function ofRunner(
  kind: 'runner' | 'pod',
  file: RunnerFile | null,
  ledger: FindLedger,
): Promise<FoundSubject | string> {
  if (file === null) return ''
  const newest = file.attempts.at(-1)
  return { kind, job: newest === undefined ? null : await ledger.jobFile(newest.job.id), runner: file }
}

async function ofPod(
  { namespace, name }: Extract<Meaning, { kind: 'pod' }>,
  ledger: FindLedger,
): Promise<FoundSubject | string> {
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
): Promise<FoundSubject | string> {
  const { rows, unreadable } = await ledger.jobs({ repository, limit: runLookedThroughMax })
  const jobs = newestAttempts(rows.filter((job) => job.runId === runId))
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

/** Earlier attempts of a job are shown next to its newest one. */
function newestAttempts(jobs: readonly Job[]): readonly Job[] {
  const byName = Map.groupBy(jobs, ({ name }) => name)
  return [...byName.values()].flatMap((group) => {
    const newest = Math.max(...group.map(({ runAttempt }) => runAttempt))
    return group.filter(({ runAttempt }) => runAttempt === newest)
  })
}

/** The newest run of the forge's job of this id. */
async function findNewest(
  id: number,
  ledger: FindLedger,
  { installation, kind }: ServedForge,
): Promise<Job | null> {
  let newest = await ledger.findJob(installation, id)
  if (newest === null) return null
  for (const laterId of forgeKinds[kind].laterIds(id)) {
    const later = await ledger.findJob(installation, laterId)
    if (later === null) break
    newest = later
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

function isSame(a: FoundSubject, b: FoundSubject): boolean {
  return a.job?.job.id === b.job?.job.id && a.runner?.runner.id === b.runner?.runner.id
}

function jobLine(job: Job | undefined): string {
  if (job === undefined) return 'a runner'
  return `job/${job.id}: ${job.repository} · ${job.name} (${job.installation}:${job.forgeJobId}, ${job.state})`
}
