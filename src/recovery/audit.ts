import { type ForgeWord, isApproved } from '../domain/binding/index.ts'
import { isError } from '../domain/errors/index.ts'
import { isAwaitingApproval, isOpen, openJobStates } from '../domain/job/index.ts'
import type { Pool } from '../domain/pool/index.ts'
import type { Instant } from '../domain/time.ts'
import { countLost } from '../intake/index.ts'
import type { RecoveryDeps } from './look.ts'
import { isListWhole, lostAt, type RedeliverDeps } from './redeliver.ts'

/** The names under which the audit's decisions are recorded. */
export const missedJobRule = 'missed-job'
export const missedWordRule = 'missed-word'
export const auditRules = [missedJobRule, missedWordRule] as const

export type AuditDeps = Omit<RecoveryDeps, 'turns'> & RedeliverDeps

/** Something that the forge and the ledger did not agree on, and what was done about it. */
export interface Difference {
  readonly jobId: number
  readonly forgeJobId: number
  readonly repository: string
  readonly name: string
  /** What the forge says, such as `completed (success)`. */
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
  /** Runs that the forge was not asked about, because nothing can be new in them. */
  readonly settledRuns: number
  /** Repositories and owners that the forge did not show: what is known of them is as old as it was. */
  readonly notCovered: readonly string[]
  /** Runs that were deleted while they were read. */
  readonly runsGone: number
  readonly differences: readonly Difference[]
}

/** How far back the first audit of all looks: not into a history that is none of ours. */
const firstLookBackMs = 24 * 60 * 60_000
/** Later ones look back to the one before, whichever process made it, and a little further for clocks that differ. */
const overlapMs = 60_000
/** After a message was lost for good: a run that is so old may have had a job of which nobody told. */
const lossLookBackMs = 6 * 60 * 60_000
/** What was closed to us is read from where its cursor stands, but no further back. */
const heldBackMsMax = 7 * 24 * 60 * 60_000
/** Bounds one look (I10); the rule `stale-queued` asks about the others in its time. */
const openJobsMax = 5_000
const unlistedMax = 50
/** So many without an answer end it: the forge is not well, and the next audit asks again. */
const unansweredMax = 5
/** An audit tells at most so many by name. */
const differencesMax = 1_000

/**
 * Asks the forge what it has, and applies what is not known here: jobs that no webhook told us about (I6), also
 * those that one of our runners took and finished unseen, and ends that were missed. A listing that fails ends the
 * pass and moves no cursor: it is never read as "nothing is queued" (I10). Every repository has a cursor of its own:
 * that of one which the forge did not show stays where it is.
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
  const { words, notCovered, runsGone } = listed
  metrics.count('holdfast_forge_items_skipped_total', {}, listed.skipped ?? 0)
  const unlisted = await unlistedWords(words, now, deps, signal)
  const { differences, failed } = await compareEach([...words, ...unlisted], pools, deps, signal)
  const named = (repositories: readonly string[]) =>
    repositories.map((repository) => `${cursor} ${repository.toLowerCase()}`)
  // One that has none yet must not follow the installation's: it gets its own, where that one stood.
  const held = [...notCovered.filter((whose) => whose.includes('/')), ...failed]
  const closed = held.filter((whose) => !heldBack.has(whose.toLowerCase()))
  await ledger.moveCursors(named(closed), scope.since)
  await ledger.moveCursors(named(listed.read.filter((whose) => !failed.has(whose.toLowerCase()))), now)
  await ledger.moveCursor(cursor, now)
  const { since, settledRuns } = scope
  return { since, compared: words.length, settledRuns: settledRuns.size, notCovered, runsGone, differences }
}

/**
 * One word that the ledger cannot take does not keep the others from being heard. Its repository is as one that was not
 * shown: its cursor stays, and the next audit reads it again.
 */
async function compareEach(
  words: readonly ForgeWord[],
  pools: readonly Pool[],
  deps: AuditDeps,
  signal: AbortSignal,
): Promise<{ readonly differences: readonly Difference[]; readonly failed: ReadonlySet<string> }> {
  const differences: Difference[] = []
  const failed = new Set<string>()
  for (const word of words) {
    try {
      const difference = await compare(word, pools, deps)
      if (difference !== null && differences.length < differencesMax) differences.push(difference)
    } catch (error) {
      if (signal.aborted || isError(error, 'E_LEDGER_UNAVAILABLE')) throw error
      const { repository, runId: run, forgeJobId: forgeJob } = word.job
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

/** Repositories whose cursor stands behind that of the installation: since when they are to be read. */
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
 * Every job that the forge has open is listed. One that was open here before and is not among them has ended there,
 * and its run may be too old to be listed: the forge is asked about it by itself.
 */
async function unlistedWords(
  words: readonly ForgeWord[],
  now: Instant,
  deps: AuditDeps,
  signal: AbortSignal,
): Promise<readonly ForgeWord[]> {
  const { ledger, forge, installation, memory, metrics, log } = deps
  const listed = new Set(words.map(({ job }) => job.forgeJobId))
  // Those that cannot be read are not asked about: whoever wrote them is the one to hear of them.
  const { rows: open } = await ledger.jobs({ states: openJobStates, limit: openJobsMax })
  const unlisted = open.filter(
    (job) => job.installation === installation && job.seenAt <= now && !listed.has(job.forgeJobId),
  )
  const found: ForgeWord[] = []
  let unanswered = 0
  const nameOf = ({ forgeJobId }: { readonly forgeJobId: number }) => `job ${forgeJobId}`
  for (const job of memory.unanswered.order(unlisted, nameOf).slice(0, unlistedMax)) {
    try {
      const word = await forge.readJob(job, job.forgeJobId, signal)
      memory.unanswered.answered(nameOf(job))
      if (word !== null) found.push(word)
    } catch (error) {
      if (signal.aborted) throw error
      // Its repository may be closed to us: that must not stop the audit of all others. It stays open here.
      memory.unanswered.failed(nameOf(job))
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

/** Since when runs that are over are listed, and which of them need not be. */
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
 * Since when the oldest job has been known that was open at any time since then: its run may have got others. For ever
 * where one cannot be read, which may be older and open.
 */
async function oldestUnderWay({ ledger, installation }: AuditDeps, since: Instant): Promise<Instant> {
  const { rows, unreadable } = await ledger.jobs({ limit: openJobsMax })
  if (unreadable.some((job) => job.installation === installation)) return Number.NEGATIVE_INFINITY
  const underWay = rows.filter(
    (job) => job.installation === installation && (job.endedAt === null || job.endedAt >= since),
  )
  return Math.min(since, ...underWay.map((job) => job.forgeQueuedAt ?? job.seenAt))
}

async function compare(word: ForgeWord, pools: readonly Pool[], deps: AuditDeps): Promise<Difference | null> {
  const { installation, forgeJobId, repository, name } = word.job
  const known = await deps.ledger.findJob(installation, forgeJobId)
  const rule = missedBy(word, known, pools)
  const heard = rule === null ? null : await hear(word, rule, deps)
  if (rule === null || heard === null) return null
  return {
    jobId: heard.jobId,
    forgeJobId,
    repository,
    name,
    forge: word.conclusion === null ? word.status : `${word.status} (${word.conclusion})`,
    ledger: known?.state ?? 'unknown',
    rule,
    done: heard.kind === 'new' ? 'entered' : 'brought up to date',
  }
}

type Known = Awaited<ReturnType<AuditDeps['ledger']['findJob']>>

/** What a listed word tells that is not known here. */
function missedBy(word: ForgeWord, known: Known, pools: readonly Pool[]): Difference['rule'] | null {
  if (known === null) return word.status !== 'completed' || isOurs(word, pools) ? missedJobRule : null
  if (isOpen(known) && isAwaitingApproval(known) && isApproved(word)) return missedWordRule
  if (!isOpen(known) || word.status === 'queued') return null
  const isNews = word.status === 'completed' || known.executor !== word.runnerName
  return isNews ? missedWordRule : null
}

/** A job that is over and unknown concerns us only if a runner of ours ran it: they carry their pool's name. */
function isOurs({ runnerName }: ForgeWord, pools: readonly Pool[]): boolean {
  return runnerName !== null && pools.some((pool) => runnerName.startsWith(`${pool.name}-`))
}

async function hear(word: ForgeWord, rule: Difference['rule'], { ledger, metrics, log }: AuditDeps) {
  const heard = await ledger.hear(word, { source: 'audit', rule })
  await countLost(word, heard, { ledger, metrics, log })
  if (heard.kind !== 'new' && heard.kind !== 'changed') return null
  const { jobId } = heard
  const id = await ledger.recordDecision({
    rule,
    jobId,
    attemptId: null,
    runnerId: null,
    facts: { forgeJob: { known: true, value: word, readAt: await ledger.now(), source: 'forge' } },
    actions: [{ kind: 'hear', word }],
  })
  await ledger.recordOutcome(id, `hear: ${heard.kind}`)
  metrics.count('holdfast_decisions_total', { rule })
  const { repository, runId: run, forgeJobId: forgeJob } = word.job
  log.warn({ job: jobId, repository, run, forgeJob, status: word.status, rule }, 'a webhook was lost')
  return heard
}
