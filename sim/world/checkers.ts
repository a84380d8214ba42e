import { isOpenAttempt } from '../../src/domain/attempt/index.ts'
import { isOpen } from '../../src/domain/job/index.ts'
import { isLive } from '../../src/domain/runner/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { ForgeCore } from '../forge/core/index.ts'
import { checkExecutors, checkRows, createMoves, type Violation } from '../invariants/index.ts'
import { allAttempts, allJobs, type State } from './ledger/index.ts'
import { isTrueEnd } from './lost-jobs.ts'
import { checkClaims, isRefused } from './origin-checks.ts'
import type { Origins } from './origins.ts'

export type { Violation } from '../invariants/index.ts'

export interface Watched {
  readonly rows: Readonly<State>
  readonly core: ForgeCore
  readonly origins: Origins
  /** Which runners held which configuration in their hands. */
  readonly jits: ReadonlyMap<string, ReadonlySet<string>>
  readonly now: Instant
  /** The time since which something was wrong with a runner: it was killed, froze, or was asked to stop. */
  readonly fell: ReadonlyMap<string, Instant>
  /** Since when a process of Holdfast has lived without faults; null while there are faults. */
  readonly quietSince: Instant | null
}

/** Every job that the forge has queued is open here this long after the last fault, whatever was lost before. */
const knownWithinMs = 5 * 60_000

/** Looks at the world after every event. I1, I3 and I5 are refused by the ledger itself, at the write. */
export function createCheckers(): (watched: Watched) => Violation | null {
  const checkMoves = createMoves()
  let timelineSeen = 0
  return (watched) => {
    // By number, not by count: rows leave the tables when they are archived.
    const fresh = watched.rows.timeline.slice(
      watched.rows.timeline.findLastIndex(({ id }) => id <= timelineSeen) + 1,
    )
    timelineSeen = fresh.at(-1)?.id ?? timelineSeen
    const back = jobsOf(fresh, 'requeued', 'unbound')
    const judged = jobsOf(fresh, 'judgedLost')
    return (
      oneRunnerAtOnce(watched) ??
      oneRunnerPerJit(watched) ??
      deliveredIsWritten(watched) ??
      queuedIsKnown(watched) ??
      checkClaims(fresh, watched) ??
      checkRows({ ...watched.rows, now: watched.now }) ??
      checkExecutors({ ...watched.rows, now: watched.now }) ??
      checkMoves(watched.rows.jobs, {
        wasPutBack: (jobId) => back.has(jobId),
        wasJudged: (jobId) => judged.has(jobId),
      })
    )
  }
}

function jobsOf(rows: State['timeline'], ...kinds: readonly string[]): ReadonlySet<number | null> {
  return new Set(rows.filter(({ kind }) => kinds.includes(kind)).map(({ jobId }) => jobId))
}

/** I1 in the world outside: whatever the ledger says, a job never runs twice at once. */
function oneRunnerAtOnce({ core }: Watched): Violation | null {
  const overlap = core.overlaps()[0]
  return overlap === undefined ? null : { invariant: 'I1/I2', what: JSON.stringify(overlap) }
}

function oneRunnerPerJit({ jits }: Watched): Violation | null {
  for (const holders of jits.values()) {
    if (holders.size > 1) return { invariant: 'I2', what: `one JIT went to ${[...holders].join(' and ')}` }
  }
  return null
}

/** I3 in the world outside: no runner holds a configuration that the ledger believes it never gave. */
function deliveredIsWritten({ rows, jits }: Watched): Violation | null {
  const given = new Set<number>()
  for (const attempt of allAttempts(rows)) if (attempt.deliveredAt !== null) given.add(attempt.runnerId)
  const holders = new Set([...jits.values()].flatMap((names) => [...names]))
  for (const runner of rows.runners.values()) {
    if (holders.has(runner.name) && !given.has(runner.id)) {
      return { invariant: 'I3', what: `${runner.name} holds a JIT, and no delivery to it is written` }
    }
  }
  return null
}

function queuedIsKnown({ core, rows, now, quietSince }: Watched): Violation | null {
  if (quietSince === null || now - quietSince < knownWithinMs) return null
  for (const job of core.jobs()) {
    const isOurs = job.status === 'queued' && job.labels.length > 0
    if (!isOurs || now - (job.queuedAt ?? job.createdAt) < knownWithinMs) continue
    const known = allJobs(rows).find((row) => row.forgeJobId === job.id)
    if (known === undefined)
      return { invariant: 'I6', what: `job ${job.id} is queued at the forge and unknown here` }
    if (!isOpen(known))
      return { invariant: 'I6', what: `job ${job.id} is queued at the forge and ${known.state} here` }
  }
  return null
}

/** At the quiet end: each job ended as the forge's truth says, and nothing is left open or alive for nothing. */
export function checkEnd(watched: Watched): Violation | null {
  const { rows, core } = watched
  for (const truth of core.jobs()) {
    if (isRefused(truth, watched)) continue
    if (truth.status !== 'completed') {
      return { invariant: 'I6', what: `job ${truth.id} never reached its end: ${truth.status} at the forge` }
    }
    const job = allJobs(rows).find((row) => row.forgeJobId === truth.id)
    if (job === undefined) {
      // Cancelled before anybody knew of it: nothing was lost.
      if (truth.starts.length === 0) continue
      return { invariant: 'end', what: `job ${truth.id} ran and is unknown here` }
    }
    if (isOpen(job))
      return { invariant: 'end', what: `job ${job.id} is ${job.state}, and the forge ended it` }
    if (!isTrueEnd(job, truth, watched)) {
      const how = `${truth.conclusion} (${truth.ends.at(-1)?.cause})`
      return { invariant: 'end', what: `job ${job.id} is ${job.state}/${job.conclusion}, truly ${how}` }
    }
  }
  // How a job ended that was deleted nobody can say any more; that it is over everybody must.
  const deleted = new Set(core.truth().jobs.flatMap(({ id, deletedAt }) => (deletedAt === null ? [] : [id])))
  for (const job of rows.jobs.values()) {
    if (isOpen(job) && deleted.has(job.forgeJobId))
      return { invariant: 'end', what: `job ${job.id} is ${job.state}, and its run was deleted` }
  }
  for (const attempt of rows.attempts.values()) {
    if (isOpenAttempt(attempt))
      return { invariant: 'end', what: `attempt ${attempt.id} is open: ${attempt.state}` }
  }
  return null
}

/** Some minutes after the end: what the ledger counts on lives, and what lives is counted on. */
export function checkRest({ rows }: Watched, living: ReadonlySet<string>): Violation | null {
  const counted = new Set([...rows.runners.values()].filter(isLive).map((runner) => runner.name))
  for (const name of counted) {
    if (!living.has(name)) return { invariant: 'I9', what: `${name} counts here, and its process is gone` }
  }
  const lateStrays = sealedWithHost(rows)
  for (const name of living) {
    // A runner that was sealed with its lost host and returns with it is left alone, and its record is corrected.
    if (!counted.has(name) && !lateStrays.has(name))
      return { invariant: 'rest', what: `${name} lives, and the ledger does not count on it` }
  }
  return null
}

/** Names of runners whose end was put on record because their host was lost; they may be archived by now. */
function sealedWithHost({ runners, evidence, archivedRunners }: Readonly<State>): ReadonlySet<string> {
  const dead = [...evidence.values()].map((death) => ({
    death,
    name: runners.get(death.runnerId ?? 0)?.name,
  }))
  const archived = [...archivedRunners.values()].map(({ death, runner }) => ({ death, name: runner.name }))
  const lost = [...dead, ...archived].filter(
    ({ death }) => death.kind === 'runner-death' && death.record.class === 'host-lost',
  )
  return new Set(lost.flatMap(({ name }) => name ?? []))
}
