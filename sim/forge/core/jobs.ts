import { type Context, randomGuid } from './context.ts'
import type { EndCause, Job, JobFacts, Run, Runner } from './model.ts'

export interface NewJob {
  readonly name: string
  readonly labels: readonly string[]
  /** What its runner gives to a shell. */
  readonly script: string
}

export interface NewRun {
  /** `owner/name`; made where it does not exist. */
  readonly repository: string
  readonly workflow: string
  readonly jobs: readonly NewJob[]
}

export interface Submitted {
  readonly runId: number
  readonly jobIds: readonly number[]
}

/** What GitHub writes on a job whose runner fell silent. */
export const lostCommunication =
  'The self-hosted runner lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.'

/** Somebody pushes: a run with its jobs, all of them queued. */
export function submit(context: Context, request: NewRun): Submitted {
  const { store } = context
  const now = store.now
  putRepository(context, request.repository)
  const run: Run = {
    id: store.nextId('run'),
    repository: request.repository,
    name: request.workflow,
    attempt: 1,
    createdAt: now,
    updatedAt: now,
  }
  store.put('runs', run)
  const jobs = request.jobs.map((job) => newJob(store.nextId('job'), run, job))
  for (const job of jobs) changeJob(context, job)
  return { runId: run.id, jobIds: jobs.map((job) => job.id) }
}

/** Makes a repository that exists from now on; an existing one stays as it is. */
export function putRepository({ store }: Context, fullName: string): void {
  if (!store.byFullName.has(fullName)) store.put('repositories', { id: store.nextId('repository'), fullName })
}

/** The runner has the job from now on. */
export function startJob(context: Context, job: Job, runner: Runner, session: string): Job {
  const at = context.store.now
  const start = { at, runnerId: runner.id, runnerName: runner.name, session, lastSignAt: at }
  const started: Job = {
    ...job,
    status: 'in_progress',
    runnerId: runner.id,
    runnerName: runner.name,
    startedAt: at,
    starts: [...job.starts, start],
  }
  changeJob(context, started)
  return started
}

/** The end of a job; whoever says so, it does not start again. */
export function endJob(
  context: Context,
  job: Job,
  conclusion: NonNullable<Job['conclusion']>,
  cause: EndCause,
): void {
  const at = context.store.now
  changeJob(context, {
    ...job,
    status: 'completed',
    conclusion,
    completedAt: at,
    annotations: cause === 'lost-communication' ? [...job.annotations, lostCommunication] : job.annotations,
    ends: [...job.ends, { at, conclusion, cause }],
  })
}

/** The truth about who works on a job is kept also when the forge has given that runner up. */
export function signOfLife({ store }: Context, job: Job, session: string): void {
  const starts = job.starts.map((start) =>
    start.session === session ? { ...start, lastSignAt: store.now } : start,
  )
  store.put('jobs', { ...job, starts })
}

function newJob(id: number, run: Run, { name, labels, script }: NewJob): Job {
  return {
    id,
    runId: run.id,
    runAttempt: run.attempt,
    repository: run.repository,
    name,
    labels,
    script,
    status: 'queued',
    conclusion: null,
    runnerId: null,
    runnerName: null,
    createdAt: run.createdAt,
    startedAt: null,
    completedAt: null,
    annotations: [],
    starts: [],
    ends: [],
  }
}

/** Writes a job whose status is new, and the message about it. */
function changeJob({ store, entropy }: Context, job: Job): void {
  const run = store.runs.get(job.runId) as Run
  store.put('jobs', job)
  store.put('runs', { ...run, updatedAt: store.now })
  store.put('webhooks', {
    id: store.nextId('webhook'),
    guid: randomGuid(entropy),
    isRedelivery: false,
    event: 'workflow_job',
    job: factsOf(job),
    run,
  })
}

function factsOf({ script, annotations, starts, ends, ...facts }: Job): JobFacts {
  return facts
}
