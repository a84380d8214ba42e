import type { Instant } from '../time.ts'
import { type DeathClass, type DeathRecord, deathClasses, type Verdict } from './record.ts'

/**
 * What an end of a class says about the job that the runner had:
 * - `none`: nothing that would change the forge's word;
 * - `end`: something outside the job's own steps ended its program, which reported nothing from then on;
 * - `disruption`: it was told to go, and may have reported its job as cancelled before it went;
 * - `forge`: the forge itself gave the job up.
 */
export type Bearing = 'none' | 'end' | 'disruption' | 'forge'

/** Which ends are those of the infrastructure. What may follow from the end of a job, or is not known, is none. */
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

/** Ends after which even a failure is what the forge says: in order, or as the pool's owner wants it. */
const asWanted: ReadonlySet<DeathClass> = new Set(['clean', 'job-deadline'])

/** What of a death decides about its runner's job. */
export interface RunnerDeath {
  readonly class: DeathClass
  readonly confidence: Verdict['confidence']
  /** The earliest time at which it was under way for certain: told to go, ended, or at the latest sealed. */
  readonly begunAt: Instant
  /** When the runner's program ended, by its host; null where that was not seen. */
  readonly endedAt: Instant | null
  /** Whether Holdfast itself had asked the runner to stop. */
  readonly isAsked: boolean
  /** When somebody else asked its pod to go while it ran; null where nobody did. */
  readonly deletedAt: Instant | null
}

/** How the forge ended a job. */
export interface ForgeEnd {
  readonly conclusion: string | null
  readonly completedAt: Instant | null
  /** When it was heard, where that was before the death was sealed: what began later followed it, whatever the clocks say. */
  readonly heardAt: Instant | null
}

/** Forges tell whole seconds: what they say was at 10 may have been at 10.9. */
const FORGE_STEP_MS = 1_000
/** A runner that is told to go reports its job as cancelled, tidies up and is gone within this. */
const LEAVES_WITHIN_MS = 15_000
/** A host says each ten seconds that it lives: twice that after it was last heard, it was silent for certain. */
export const SILENT_AFTER_MS = 20_000

/**
 * Whether a job that the forge ended was lost with its runner. The death decides only where it is known to have begun by
 * the forge's end, or where the forge itself gave the job up; everywhere else the forge's word stands.
 */
export function isLostBy(death: RunnerDeath, { conclusion, completedAt, heardAt }: ForgeEnd): boolean {
  if (conclusion !== 'failure' && conclusion !== 'cancelled') return false
  const bearing = death.confidence === 'unknown' ? 'none' : bearings[death.class]
  if (bearing === 'forge') return conclusion === 'failure'
  const isFailedByDeath = conclusion === 'failure' && !asWanted.has(death.class)
  // Where a forge tells no time, its word came before or after the death.
  if (completedAt === null) return isFailedByDeath && heardAt === null
  const isBefore = (at: Instant) => death.begunAt < Math.min(at, heardAt ?? Number.POSITIVE_INFINITY)
  if (bearing !== 'none' && isBefore(completedAt + FORGE_STEP_MS)) return true
  // Whatever ended it: one that was over by then did not report this failure. An end right after a report is no sign.
  if (isFailedByDeath && isBefore(completedAt)) return true
  return (
    conclusion === 'cancelled' &&
    (isOfSigterm(death, completedAt) || isOfDeletion(death, completedAt, heardAt))
  )
}

/**
 * Somebody deleted its pod, and after that it reported its job as cancelled and ended with 0, in order as it were. Of a
 * failure that it reported then nobody knows that it came of that: its job's own steps may have failed.
 */
function isOfDeletion(
  { class: of, deletedAt }: RunnerDeath,
  completedAt: Instant,
  heardAt: Instant | null,
): boolean {
  if (of !== 'clean' || deletedAt === null) return false
  return deletedAt < Math.min(completedAt, heardAt ?? Number.POSITIVE_INFINITY)
}

/**
 * SIGTERM ended it right after its job was cancelled. A job that a person cancels sends its runner no signal: the runner
 * ends with 0 then. One that is told to go reports its job as cancelled as the last that it does.
 */
function isOfSigterm(
  { class: of, confidence, isAsked, endedAt }: RunnerDeath,
  completedAt: Instant,
): boolean {
  if (of !== 'terminated' || confidence === 'unknown' || isAsked || endedAt === null) return false
  return endedAt >= completedAt && endedAt <= completedAt + LEAVES_WITHIN_MS
}

/** What decides of a sealed record; one that an older program sealed may lack parts. */
export function runnerDeath(
  record: { readonly [Part in 'class' | 'confidence' | 'ending' | 'silence']?: unknown },
  sealedAt: Instant,
): RunnerDeath {
  const { class: of, confidence, ending, silence } = record as Partial<DeathRecord>
  const known = deathClasses.find((name) => name === of) ?? 'unknown'
  const endedAt = ending?.endedAt ?? null
  const disrupted = bearings[known] === 'disruption' ? disruptionTimes(ending ?? null) : []
  // One that outlived the Holdfast of its host may have reported its job itself: silence alone says nothing about that.
  const silent = silence?.wasRegistered === true ? [silence.lastHeardAt + SILENT_AFTER_MS] : []
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
