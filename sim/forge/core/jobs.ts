import { announce } from './announce.ts'
import type { Context } from './context.ts'
import { defaultGroup, groupOf } from './groups.ts'
import type { EndCause, Job, JobFacts, PlannedJob, Run, Runner } from './model.ts'
import { announceRun } from './run-news.ts'
import { isPerson, loginOf } from './scope.ts'

/** GitHub's annotation on a job whose runner fell silent. */
export const lostCommunication =
  'The self-hosted runner lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.'

/** Ids and names of the forge's own runners, far from those that anybody registers. */
const hostedIdFirst = 1_000_000_000
const hostedRunners = 50

/** A job of a run that a runner may take from now on, or once somebody has approved it. */
export function queueJob(context: Context, run: Run, place: number): void {
  const job = newJob(context, run, place)
  if (job.environment === undefined) {
    changeJob(context, queued(context, job))
    return
  }
  const waiting: Job = { ...job, status: 'waiting' }
  // As GitHub: announced as queued although it waits, then as waiting, and as queued once more after the approval.
  changeJob(context, waiting, 'queued')
  changeJob(context, waiting)
}

/** Somebody has approved it: from now on a runner may take it. */
export function admitJob(context: Context, job: Job): void {
  changeJob(context, { ...queued(context, job), queuedAt: context.store.now })
}

/** Copies a job that need not run again into the new attempt under a new id, without a message. */
export function carryOver({ store }: Context, job: Job, runAttempt: number): void {
  store.put('jobs', { ...job, id: store.nextId('job'), runAttempt, isCarried: true, starts: [] })
}

/** Skips a job: GitHub announces only its end, and without its labels. */
export function skipJob(context: Context, run: Run, place: number): void {
  endJob(context, { ...newJob(context, run, place), labels: [] }, 'skipped', 'skipped')
}

/** Makes a repository that exists from now on; an existing one stays as it is. */
export function putRepository({ store }: Context, fullName: string): void {
  if (store.byFullName.has(fullName)) return
  const isPersonal = isPerson(store, loginOf(fullName))
  store.put('repositories', { id: store.nextId('repository'), fullName, ...(isPersonal && { isPersonal }) })
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
    runnerGroup: groupShown(context, runner),
    startedAt: at,
    starts: [...job.starts, start],
  }
  changeJob(context, started)
  return started
}

/** One of the forge's own runners has the job from now on. */
export function startElsewhere(context: Context, job: Job): void {
  const at = context.store.now
  const number = (job.id % hostedRunners) + 1
  changeJob(context, {
    ...job,
    status: 'in_progress',
    runnerId: hostedIdFirst + number,
    runnerName: `GitHub Actions ${number}`,
    runnerGroup: { number: 0, name: 'GitHub Actions' },
    startedAt: at,
    dueAt: at + elsewhereMs(context, job),
  })
}

/** Ends a job for good, no matter who reports it. */
export function endJob(
  context: Context,
  job: Job,
  conclusion: NonNullable<Job['conclusion']>,
  cause: EndCause,
): void {
  const at = context.store.now
  const { dueAt: _, ...ended } = job
  changeJob(context, {
    ...ended,
    status: 'completed',
    conclusion,
    completedAt: at,
    ...(cause === 'lost-communication' && {
      isLost: true as const,
      annotations: [...job.annotations, lostCommunication],
    }),
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

function newJob({ store }: Context, run: Run, place: number): Job {
  const { name, labels, script, environment } = run.plan[place] as PlannedJob
  return {
    id: store.nextId('job'),
    runId: run.id,
    runAttempt: run.attempt,
    place,
    repository: run.repository,
    name,
    labels,
    script,
    status: 'queued',
    conclusion: null,
    runnerId: null,
    runnerName: null,
    createdAt: store.now,
    startedAt: null,
    completedAt: null,
    ...(environment !== undefined && { environment }),
    annotations: [],
    starts: [],
    ends: [],
  }
}

/** The job as queued; one for the forge's own hosted runners starts by itself after a delay. */
function queued(context: Context, job: Job): Job {
  const delayMs = elsewhereMs(context, job)
  return { ...job, status: 'queued', ...(delayMs > 0 && { dueAt: context.store.now + delayMs }) }
}

function elsewhereMs({ store }: Context, job: Job): number {
  return store.runs.get(job.runId)?.plan[job.place]?.elsewhereMs ?? 0
}

/** Writes a job whose status is new, and the messages about it. */
function changeJob(context: Context, job: Job, action?: 'queued'): void {
  const { store } = context
  const run = store.runs.get(job.runId) as Run
  store.put('jobs', job)
  store.put('runs', { ...run, updatedAt: store.now })
  const message = { job: factsOf(job), workflow: run.name, ...(action && { action }) }
  announce(context, { event: 'workflow_job', ...message }, job.repository)
  announceRun(context, run.id)
}

function groupShown({ store }: Context, runner: Runner): Job['runnerGroup'] {
  const { number, name } = groupOf(store, runner.repository, runner.group ?? defaultGroup) ?? {}
  return number === undefined || name === undefined ? undefined : { number, name }
}

function factsOf({
  script,
  queuedAt,
  cancelledAt,
  dueAt,
  annotations,
  starts,
  ends,
  ...facts
}: Job): JobFacts {
  return facts
}
