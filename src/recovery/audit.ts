import { isError } from '../domain/errors/index.ts'
import { isAwaitingApproval, isOpen, openJobStates } from '../domain/job/index.ts'
import { isApproved, type JobEvent, originAfter } from '../domain/job-event/index.ts'
import { type Pool, reroute } from '../domain/pool/index.ts'
import type { Instant } from '../domain/time.ts'
import { countLost } from '../intake/index.ts'
import type { PoolLedger } from '../ports/ledger.ts'
import type { RecoveryDeps } from './look.ts'
import { isListWhole, lostAt, type RedeliverDeps } from './redeliver.ts'

/** The names under which the audit's decisions are recorded. */
const missedJobRule = 'missed-job'
const missedWordRule = 'missed-word'
export const auditRules = [missedJobRule, missedWordRule] as const
const byAudit = { source: 'audit' } as const

export type AuditDeps = Omit<RecoveryDeps, 'runnerMutex'> & RedeliverDeps & { readonly ledger: PoolLedger }

/** A difference between the forge and the ledger, and what was done about it. */
interface Difference {
  readonly jobId: number
  readonly forgeJobId: number
  readonly repository: string
  readonly name: string
  /** The state at the forge, such as `completed (success)`. */
  readonly forge: string
  /** The state that the job had here, or `unknown`. */
  readonly ledger: string
  readonly rule: (typeof auditRules)[number]
  readonly done: string
}

export interface Compared {
  readonly since: Instant
  /** Jobs that the forge listed. */
  readonly compared: number
  /** Runs that were not listed, because they can have nothing new. */
  readonly settledRuns: number
  /** Repositories and owners that the forge did not show: what is known of them stays as it was. */
  readonly notCovered: readonly string[]
  /** Runs that were deleted while they were read. */
  readonly runsGone: number
  readonly differences: readonly Difference[]
}

/** How far back the very first audit looks: not into a history before Holdfast. */
const firstLookBackMs = 24 * 60 * 60_000
/** Later audits look back to the one before, of whichever process, and a little further for clocks that differ. */
const overlapMs = 60_000
/** After a message was lost for good: a run of this age may have had a job without an event. */
const lossLookBackMs = 6 * 60 * 60_000
/** A repository that was closed to us is read from its cursor, but no further back than this. */
const heldBackMsMax = 7 * 24 * 60 * 60_000
/** Bounds one audit (I10); the rule `stale-queued` reads the others in its time. */
const openJobsMax = 5_000
const unlistedMax = 50
/** This many reads without an answer end an audit: the forge has a problem, and the next audit reads again. */
const unansweredMax = 5
/** Differences that an audit reports by name. */
const differencesMax = 1_000

/**
 * Lists the jobs of the forge, and applies what is not known here: jobs without a webhook (I6), also those that one of our
 * runners ran unseen, and missed ends. A listing that fails ends the pass and moves no cursor: it is never read as "nothing
 * is queued" (I10). Every repository has its own cursor: that of a repository which the forge did not show stays where it
 * is.
 */
export async function compareJobs(deps: AuditDeps, signal: AbortSignal): Promise<Compared> {
  const { ledger, forge, installation, metrics } = deps
  const cursor = `audit ${installation}`
  const now = await ledger.now()
  const before = await ledger.cursor(cursor)
  const scope = await scopeOf(deps, before, now)
  const pools = await ledger.pools()
  const heldBack = heldBackIn(await ledger.cursors(`${cursor} `), cursor, before, now)
  const listed = await forge.listJobs({ installation, ...scope, heldBack }, signal)
  const { events, notCovered, runsGone } = listed
  metrics.count('holdfast_forge_items_skipped_total', {}, listed.skipped ?? 0)
  const unlisted = await readUnlisted(events, now, deps, signal)
  const { differences, failed } = await compareEach([...events, ...unlisted], pools, deps, signal)
  const named = (repositories: readonly string[]) =>
    repositories.map((repository) => `${cursor} ${repository.toLowerCase()}`)
  // A repository without a cursor must not follow that of the installation: it gets its own, at the same time.
  const held = [...notCovered.filter((whose) => whose.includes('/')), ...failed]
  const closed = held.filter((whose) => !heldBack.has(whose.toLowerCase()))
  await ledger.moveCursors(named(closed), scope.since)
  await ledger.moveCursors(named(listed.read.filter((whose) => !failed.has(whose.toLowerCase()))), now)
  await ledger.moveCursor(cursor, now)
  const { since, settledRuns } = scope
  return { since, compared: events.length, settledRuns: settledRuns.size, notCovered, runsGone, differences }
}

/**
 * An event that the ledger cannot apply does not keep the others from it. Its repository counts as not shown: its cursor
 * stays, and the next audit reads it again.
 */
async function compareEach(
  events: readonly JobEvent[],
  pools: readonly Pool[],
  deps: AuditDeps,
  signal: AbortSignal,
): Promise<{ readonly differences: readonly Difference[]; readonly failed: ReadonlySet<string> }> {
  const differences: Difference[] = []
  const failed = new Set<string>()
  for (const event of events) {
    try {
      const difference = await compare(event, pools, deps)
      if (difference !== null && differences.length < differencesMax) differences.push(difference)
    } catch (error) {
      if (signal.aborted || isError(error, 'E_LEDGER_UNAVAILABLE')) throw error
      const { repository, runId: run, forgeJobId: forgeJob } = event.job
      failed.add(repository.toLowerCase())
      deps.metrics.count('holdfast_task_failures_total', { task: 'audit' })
      deps.log.error(
        { repository, run, forgeJob, err: error },
        'a job could not be compared with the forge; its repository is read again',
      )
    }
  }
  return { differences, failed }
}

/** Repositories whose cursor is behind that of the installation, and since when they are to be read. */
function heldBackIn(
  cursors: ReadonlyMap<string, Instant>,
  installation: string,
  before: Instant | null,
  now: Instant,
): ReadonlyMap<string, Instant> {
  const behind = [...cursors].filter(([, at]) => before !== null && at < before)
  return new Map(
    behind.map(([name, at]) => [
      name.slice(installation.length + 1),
      Math.max(at - overlapMs, now - heldBackMsMax),
    ]),
  )
}

/**
 * Reads jobs that are open here and not listed. Every job that the forge has open is listed, so that these have ended
 * there, and their runs may be too old to be listed.
 */
async function readUnlisted(
  events: readonly JobEvent[],
  now: Instant,
  deps: AuditDeps,
  signal: AbortSignal,
): Promise<readonly JobEvent[]> {
  const { ledger, forge, installation, memory, metrics, log } = deps
  const listed = new Set(events.map(({ job }) => job.forgeJobId))
  // Jobs that cannot be read here are left to the version that wrote them.
  const { rows: open } = await ledger.jobs({ states: openJobStates, limit: openJobsMax })
  const unlisted = open.filter(
    (job) => job.installation === installation && job.seenAt <= now && !listed.has(job.forgeJobId),
  )
  const found: JobEvent[] = []
  let unanswered = 0
  const nameOf = ({ forgeJobId }: { readonly forgeJobId: number }) => `job ${forgeJobId}`
  for (const job of memory.unanswered.order(unlisted, nameOf).slice(0, unlistedMax)) {
    try {
      const event = await forge.readJob(job, job.forgeJobId, signal)
      memory.unanswered.restore(nameOf(job))
      if (event !== null) found.push(event)
    } catch (error) {
      if (signal.aborted) throw error
      // Its repository may be closed to us: that must not stop the audit of all others. The job stays open here.
      memory.unanswered.demote(nameOf(job))
      if (isError(error, 'E_FORGE_UNAVAILABLE')) unanswered += 1
      else {
        metrics.count('holdfast_task_failures_total', { task: 'audit' })
        log.error(
          { job: job.id, repository: job.repository, run: job.runId, err: error },
          'a job could not be read',
        )
      }
      if (unanswered >= unansweredMax) break
    }
  }
  return found
}

/** Since when ended runs are listed, and which of them need not be. */
async function scopeOf(
  deps: AuditDeps,
  before: Instant | null,
  now: Instant,
): Promise<{ readonly since: Instant; readonly settledRuns: ReadonlySet<number> }> {
  const none: ReadonlySet<number> = new Set()
  if (before === null) return { since: now - firstLookBackMs, settledRuns: none }
  const since = before - overlapMs
  if (await isListWhole(deps, before)) {
    return { since, settledRuns: await deps.ledger.settledRuns(deps.installation, since) }
  }
  if (deps.deliveries === null) {
    const oldest = await oldestUnderWay(deps, since)
    return {
      since: Math.max(before - lossLookBackMs, Math.min(since, oldest - overlapMs)),
      settledRuns: none,
    }
  }
  const isLost = ((await lostAt(deps)) ?? 0) >= before
  return { since: isLost ? before - lossLookBackMs : since, settledRuns: none }
}

/**
 * The first sight of the oldest job that was open at any time since then: its run may have got other jobs. The beginning of
 * time where a job cannot be read, which may be older and open.
 */
async function oldestUnderWay({ ledger, installation }: AuditDeps, since: Instant): Promise<Instant> {
  const { rows, unreadable } = await ledger.jobs({ limit: openJobsMax })
  if (unreadable.some((job) => job.installation === installation)) return Number.NEGATIVE_INFINITY
  const underWay = rows.filter(
    (job) => job.installation === installation && (job.endedAt === null || job.endedAt >= since),
  )
  return Math.min(since, ...underWay.map((job) => job.forgeQueuedAt ?? job.seenAt))
}

async function compare(event: JobEvent, pools: readonly Pool[], deps: AuditDeps): Promise<Difference | null> {
  const { installation, forgeJobId, repository, name } = event.job
  const known = await deps.ledger.findJob(installation, forgeJobId)
  const rule = missedBy(event, known, pools)
  if (rule === null && concernsRoute(event, known, pools)) await deps.ledger.applyJobEvent(event, byAudit)
  const applied = rule === null ? null : await applyMissedEvent(event, rule, deps)
  if (rule === null || applied === null) return null
  return {
    jobId: applied.jobId,
    forgeJobId,
    repository,
    name,
    forge: event.conclusion === null ? event.status : `${event.status} (${event.conclusion})`,
    ledger: known?.state ?? 'unknown',
    rule,
    done: applied.kind === 'new' ? 'entered' : 'brought up to date',
  }
}

type Known = Awaited<ReturnType<AuditDeps['ledger']['findJob']>>

/** The rule by which a listed event is new here; null: it is known. */
function missedBy(event: JobEvent, known: Known, pools: readonly Pool[]): Difference['rule'] | null {
  if (known === null) return event.status !== 'completed' || isOurs(event, pools) ? missedJobRule : null
  if (isOpen(known) && isAwaitingApproval(known) && isApproved(event)) return missedWordRule
  if (!isOpen(known) || event.status === 'queued') return null
  const isNews = event.status === 'completed' || known.executor !== event.runnerName
  return isNews ? missedWordRule : null
}

/**
 * Whether a listing has to be noted for the route of a job: its repository was made public or private, or another pool takes
 * it by what is known of its commits. Visibility always, whatever the pools are and whether the job waits: pools may change,
 * and a job that is claimed or runs may come back before the next audit. Of commits, which stay what they are, only what matters.
 */
function concernsRoute(event: JobEvent, known: Known, pools: readonly Pool[]): boolean {
  if (known === null || !isOpen(known)) return false
  const there = { ...known, ...originAfter(known, event, byAudit) }
  return (
    there.visibility !== known.visibility || (event.status === 'queued' && reroute(there, pools) !== null)
  )
}

/** An ended job that is unknown here concerns us only if a runner of ours ran it: their names begin with their pool. */
function isOurs({ runnerName }: JobEvent, pools: readonly Pool[]): boolean {
  return runnerName !== null && pools.some((pool) => runnerName.startsWith(`${pool.name}-`))
}

async function applyMissedEvent(
  event: JobEvent,
  rule: Difference['rule'],
  { ledger, metrics, log }: AuditDeps,
) {
  const result = await ledger.applyJobEvent(event, { source: 'audit', rule })
  await countLost(event, result, { ledger, metrics, log })
  if (result.kind !== 'new' && result.kind !== 'changed') return null
  const { jobId } = result
  const id = await ledger.recordDecision({
    rule,
    jobId,
    attemptId: null,
    runnerId: null,
    facts: { forgeJob: { known: true, value: event, readAt: await ledger.now(), source: 'forge' } },
    actions: [{ kind: 'hear', word: event }],
  })
  await ledger.recordOutcome(id, `hear: ${result.kind}`)
  metrics.count('holdfast_decisions_total', { rule })
  const { repository, runId: run, forgeJobId: forgeJob } = event.job
  log.warn({ job: jobId, repository, run, forgeJob, status: event.status, rule }, 'a webhook was lost')
  return result
}
