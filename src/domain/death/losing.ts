import type { Instant } from '../time.ts'
import { type DeathClass, type DeathRecord, deathClasses, type Verdict } from './record.ts'

/**
 * The effect that an end of a class has on the runner's job:
 * - `none`: none; the forge's conclusion stands;
 * - `end`: a cause outside the job's own steps ended the runner, which reported nothing from then on;
 * - `disruption`: the runner was asked to stop, and may have reported its job as cancelled before it exited;
 * - `forge`: the forge itself gave the job up.
 */
export type Bearing = 'none' | 'end' | 'disruption' | 'forge'

/** Infrastructure failures by class. An end that may follow from the job itself, or is not understood, has none. */
export const bearings: Readonly<Record<DeathClass, Bearing>> = {
  clean: 'none',
  'completion-handshake': 'end',
  'forge-gave-up': 'forge',
  'runner-deregistered': 'end',
  'session-conflict': 'none',
  'runner-outdated': 'none',
  'container-oom': 'end',
  'guest-oom': 'end',
  'node-oom': 'end',
  evicted: 'disruption',
  'evicted-memory': 'disruption',
  'evicted-disk': 'disruption',
  'evicted-ephemeral-storage': 'disruption',
  'evicted-inodes': 'disruption',
  'evicted-pid': 'disruption',
  preempted: 'disruption',
  'node-drained': 'disruption',
  'node-lost': 'disruption',
  'host-lost': 'disruption',
  'deadline-exceeded': 'disruption',
  'job-deadline': 'none',
  terminated: 'disruption',
  deleted: 'disruption',
  'sigkill-unknown': 'end',
  crash: 'end',
  'probe-failed': 'end',
  'hook-failed': 'end',
  'pids-limit': 'end',
  'host-file-table': 'end',
  'process-file-table': 'end',
  'disk-full': 'end',
  starved: 'end',
  'network-discontinuity': 'end',
  failed: 'none',
  'image-pull': 'none',
  'config-error': 'none',
  'sandbox-failed': 'none',
  'never-started': 'none',
  vanished: 'none',
  unknown: 'none',
}

/** Ends after which the forge's failure stands: in order, or as the pool's owner configured. */
const asWanted: ReadonlySet<DeathClass> = new Set(['clean', 'job-deadline'])

/** The facts of a death that decide about the runner's job. */
export interface RunnerDeath {
  readonly class: DeathClass
  readonly confidence: Verdict['confidence']
  /** The earliest time at which the death had begun for certain: asked to stop, ended, or at the latest sealed. */
  readonly begunAt: Instant
  /** When the runner's program ended, by its host; null where nobody saw it. */
  readonly endedAt: Instant | null
  /** Whether Holdfast itself had asked the runner to stop. */
  readonly isAsked: boolean
  /** When somebody else deleted its pod while it ran; null where nobody did. */
  readonly deletedAt: Instant | null
}

/** How the forge ended a job. */
export interface ForgeEnd {
  readonly conclusion: string | null
  readonly completedAt: Instant | null
  /** When the event arrived, where that was before the seal: a death that began later followed it, whatever the clocks say. */
  readonly receivedAt: Instant | null
}

/** Forges report whole seconds: 10 may be 10.9. */
const forgeStepMs = 1_000
/** A runner that is asked to stop reports its job as cancelled, cleans up and exits within this. */
const leavesWithinMs = 15_000
/** Two heartbeats of a host, which come every ten seconds: after this it was silent for certain. */
export const silentAfterMs = 20_000

/**
 * Whether a job that the forge ended was lost with its runner. The death decides only where it had begun before the forge
 * ended the job, or where the forge itself gave the job up; everywhere else the forge's conclusion stands.
 */
export function isLostBy(death: RunnerDeath, { conclusion, completedAt, receivedAt }: ForgeEnd): boolean {
  if (conclusion !== 'failure' && conclusion !== 'cancelled') return false
  const bearing = death.confidence === 'unknown' ? 'none' : bearings[death.class]
  if (bearing === 'forge') return conclusion === 'failure'
  const isFailedByDeath = conclusion === 'failure' && !asWanted.has(death.class)
  // Without a time of the forge, only the arrival of the event says whether it came before or after the death.
  if (completedAt === null) return isFailedByDeath && receivedAt === null
  const isBefore = (at: Instant) => death.begunAt < Math.min(at, receivedAt ?? Number.POSITIVE_INFINITY)
  if (bearing !== 'none' && isBefore(completedAt + forgeStepMs)) return true
  // A runner that was gone by then did not report this failure, whatever ended it. An end right after a report is no sign.
  if (isFailedByDeath && isBefore(completedAt)) return true
  return (
    conclusion === 'cancelled' &&
    (isOfSigterm(death, completedAt) || isOfDeletion(death, completedAt, receivedAt))
  )
}

/**
 * Whether the deletion of its pod cancelled the job: the runner reported that and ended with 0, as if in order. A failure
 * that it reported then does not count: the job's own steps may have failed.
 */
function isOfDeletion(
  { class: of, deletedAt }: RunnerDeath,
  completedAt: Instant,
  receivedAt: Instant | null,
): boolean {
  if (of !== 'clean' || deletedAt === null) return false
  return deletedAt < Math.min(completedAt, receivedAt ?? Number.POSITIVE_INFINITY)
}

/**
 * Whether SIGTERM ended the runner right after its job was cancelled. A person who cancels a job sends no signal, and the
 * runner ends with 0. A runner that gets SIGTERM reports its job as cancelled just before it exits.
 */
function isOfSigterm(
  { class: of, confidence, isAsked, endedAt }: RunnerDeath,
  completedAt: Instant,
): boolean {
  if (of !== 'terminated' || confidence === 'unknown' || isAsked || endedAt === null) return false
  return endedAt >= completedAt && endedAt <= completedAt + leavesWithinMs
}

/** The deciding facts of a sealed record; one of an older version may lack parts. */
export function runnerDeath(
  record: { readonly [Part in 'class' | 'confidence' | 'ending' | 'silence']?: unknown },
  sealedAt: Instant,
): RunnerDeath {
  const { class: of, confidence, ending, silence } = record as Partial<DeathRecord>
  const known = deathClasses.find((name) => name === of) ?? 'unknown'
  const endedAt = ending?.endedAt ?? null
  const disrupted = bearings[known] === 'disruption' ? disruptionTimes(ending ?? null) : []
  // A runner may outlive the Holdfast of its host and report its job itself: silence alone does not exclude that.
  const silent = silence?.wasRegistered === true ? [silence.lastHeardAt + silentAfterMs] : []
  const isAsked = (ending?.stopRequestedBy ?? null) !== null
  const deletedAt = ending?.pod?.deletedAt ?? null
  const isDeleted = !isAsked && deletedAt !== null && (endedAt === null || deletedAt <= endedAt)
  return {
    class: known,
    confidence: confidence ?? 'unknown',
    begunAt: Math.min(sealedAt, ...(endedAt === null ? [] : [endedAt]), ...disrupted, ...silent),
    endedAt,
    isAsked,
    deletedAt: isDeleted ? deletedAt : null,
  }
}

function disruptionTimes(ending: Partial<NonNullable<DeathRecord['ending']>> | null): Instant[] {
  const pod = ending?.pod ?? null
  if (pod === null) return []
  const marked = (pod.conditions ?? [])
    .filter(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
    .map(({ at }) => at)
  return [...marked, pod.deletedAt ?? null].filter((at) => at !== null)
}
