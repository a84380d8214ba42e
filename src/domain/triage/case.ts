import { keyOf, type SnapshotJoins } from '../audit/index.ts'
import type {
  ForgeJobFact,
  ForgeRunnerFact,
  JobLogFact,
  ListenerFact,
  PodFact,
  RunnerFact,
  ScaleSetFact,
  Snapshot,
} from '../snapshot/index.ts'

/** The thing that somebody asks about. */
export type TriageSubject =
  | { readonly kind: 'job'; readonly repository: string; readonly jobId: number }
  | { readonly kind: 'run'; readonly repository: string; readonly runId: number }
  /** A runner and its pod have one name. */
  | { readonly kind: 'runner'; readonly namespace: string | null; readonly name: string }

/** All facts of a snapshot that belong to one job, or to one runner. */
export interface TriageCase {
  readonly job: ForgeJobFact | null
  readonly log: JobLogFact | null
  readonly runner: RunnerFact | null
  readonly pod: PodFact | null
  readonly forgeRunner: ForgeRunnerFact | null
  /** Sets that the runner belongs to, or that may serve the job. */
  readonly sets: readonly ScaleSetFact[]
  readonly listeners: readonly ListenerFact[]
}

/** Jobs of one run that are looked at: more are no longer one question. */
const casesMax = 20

/** The cases of a subject; empty where no fact names it. */
export function casesOf(
  subject: TriageSubject,
  snapshot: Snapshot,
  joins: SnapshotJoins,
): readonly TriageCase[] {
  const { jobs } = snapshot.forge
  if (subject.kind === 'runner') return runnerCases(subject, snapshot, joins)
  const isMeant = ({ repository, runId, jobId }: ForgeJobFact): boolean =>
    repository.toLowerCase() === subject.repository.toLowerCase() &&
    (subject.kind === 'job' ? jobId === subject.jobId : runId === subject.runId)
  return newestAttempts(jobs.items.filter(isMeant))
    .slice(0, casesMax)
    .map((job) => jobCase(job, snapshot, joins))
}

/** Earlier attempts of a job are shown next to the newest one, and are no cases of their own. */
function newestAttempts(jobs: readonly ForgeJobFact[]): readonly ForgeJobFact[] {
  const newest = new Map<string, number>()
  for (const { name, runAttempt } of jobs) newest.set(name, Math.max(runAttempt ?? 0, newest.get(name) ?? 0))
  return jobs.filter(({ name, runAttempt }) => (runAttempt ?? 0) === newest.get(name))
}

function jobCase(job: ForgeJobFact, snapshot: Snapshot, joins: SnapshotJoins): TriageCase {
  const { runnerName } = job
  const runner = runnerName === null ? null : runnerNamed(runnerName, null, snapshot)
  const pod = runnerName === null ? null : podNamed(runnerName, runner?.namespace ?? null, snapshot)
  const own = runner === null ? [] : setsOfRunner(runner, snapshot)
  const sets = own.length > 0 ? own : setsOfLabels(job.labels, joins)
  return {
    job,
    log: logOf(job, snapshot),
    runner,
    pod,
    forgeRunner: runnerName === null ? null : (joins.forgeRunnerByName.get(runnerName) ?? null),
    sets,
    listeners: listenersOf(sets, joins),
  }
}

function runnerCases(
  { namespace, name }: Extract<TriageSubject, { kind: 'runner' }>,
  snapshot: Snapshot,
  joins: SnapshotJoins,
): readonly TriageCase[] {
  const runner = runnerNamed(name, namespace, snapshot)
  const pod = podNamed(name, namespace ?? runner?.namespace ?? null, snapshot)
  const forgeRunner = joins.forgeRunnerByName.get(name) ?? null
  const jobs = joins.jobsByRunner.get(name) ?? []
  const job = jobs.find(({ status }) => status === 'in_progress') ?? jobs.at(-1) ?? null
  if (runner === null && pod === null && forgeRunner === null && job === null) return []
  const sets = runner === null ? [] : setsOfRunner(runner, snapshot)
  const log = job === null ? null : logOf(job, snapshot)
  return [{ job, log, runner, pod, forgeRunner, sets, listeners: listenersOf(sets, joins) }]
}

function runnerNamed(name: string, namespace: string | null, { cluster }: Snapshot): RunnerFact | null {
  return cluster.runners.items.find((each) => isNamed(each, name, namespace)) ?? null
}

/** The pod that has or had this name. */
export function podNamed(name: string, namespace: string | null, { cluster }: Snapshot): PodFact | null {
  return cluster.pods.items.find((each) => isNamed(each, name, namespace)) ?? null
}

function isNamed(
  each: { readonly name: string; readonly namespace: string },
  name: string,
  namespace: string | null,
): boolean {
  return each.name === name && (namespace === null || each.namespace === namespace)
}

function setsOfRunner({ scaleSet }: RunnerFact, { cluster }: Snapshot): readonly ScaleSetFact[] {
  return scaleSet === null ? [] : cluster.scaleSets.items.filter((set) => keyOf(set) === keyOf(scaleSet))
}

function setsOfLabels(labels: readonly string[], joins: SnapshotJoins): readonly ScaleSetFact[] {
  return [...new Set(labels.flatMap((label) => joins.setsByLabel.get(label) ?? []))]
}

function listenersOf(sets: readonly ScaleSetFact[], joins: SnapshotJoins): readonly ListenerFact[] {
  return sets.flatMap((set) => joins.listenersBySet.get(keyOf(set)) ?? [])
}

/** The log of a job; null where it was not read. */
export function logOf({ repository, jobId }: ForgeJobFact, { forge }: Snapshot): JobLogFact | null {
  return forge.logs.items.find((log) => log.jobId === jobId && log.repository === repository) ?? null
}
