import { type Attempt, ranOfLimit, ranSince } from '../attempt/index.ts'
import { awaitsApproval, isAwaitingApproval, type Job } from '../job/index.ts'
import type { Instant } from '../time.ts'
import type { ForgeLimit } from './points.ts'
import type { Reach } from './reach.ts'

/** What the ledger knows about a job's place in the queue, read in one snapshot. */
export interface QueueFacts {
  readonly job: Job
  readonly now: Instant
  readonly poolExists: boolean
  /** Where it has no pool: those that have its labels and do not take its repository. */
  readonly closedPools: readonly string[]
  /** Claimable jobs that go before it, by repository, most first (bounded). */
  readonly ahead: readonly { readonly repository: string; readonly jobs: number }[]
  readonly runningOfRepository: number
  readonly runningOfOwner: number
  readonly capPerRepository: number | null
  readonly capPerOwner: number | null
  readonly hold: { readonly key: string; readonly reason: string; readonly until: Instant } | null
  readonly runners: { readonly live: number; readonly idle: number; readonly max: number }
  /** Where a runner of ours runs it, and since when is known. */
  readonly run: JobRun | null
}

/** How far a job that runs is. */
export interface JobRun {
  readonly ranMs: number
  /** How long its runner's pool lets a job run; null: as long as it takes. */
  readonly limitMs: number | null
  readonly isPastDeadline: boolean
}

/** How far the job of an open attempt is; null where it does not run, or nobody knows since when. */
export function runOf(attempt: Attempt, job: Job, limitMs: number | null, now: Instant): JobRun | null {
  const since = attempt.state === 'running' ? ranSince(attempt, job) : null
  if (since === null) return null
  return { ranMs: Math.max(0, now - since), limitMs, isPastDeadline: attempt.pastDeadline !== undefined }
}

const POOLS_NAMED_MAX = 5

export const queueReasons = [
  'not-queued',
  'label-without-pool',
  'repository-not-taken',
  'unreachable',
  'awaiting-approval',
  'quarantined',
  'backing-off',
  'repository-held',
  'repository-cap',
  'owner-cap',
  'forge-limit',
  'behind-others',
  'no-capacity',
  'runner-starting',
  'next',
] as const
export type QueueReason = (typeof queueReasons)[number]

export interface QueueAnswer {
  readonly reason: QueueReason
  readonly sentence: string
  readonly behind: number
}

/**
 * Why is this job still queued? The first reason that holds, in words. `reach`: what `reachOf` says of it; what only
 * a person can lift comes before what passes by itself. `forgeLimit`: what `forgeLimitOf` says.
 */
export function whyQueued(
  facts: QueueFacts,
  reach: Reach | null = null,
  forgeLimit: ForgeLimit | null = null,
): QueueAnswer {
  const { job, now } = facts
  const behind = facts.ahead.reduce((sum, row) => sum + row.jobs, 0)
  const answer = (reason: QueueReason, sentence: string): QueueAnswer => ({ reason, sentence, behind })

  if (reach?.kind === 'installation-not-served') return answer('unreachable', reach.sentence)
  if (job.state !== 'queued')
    return answer('not-queued', `It is not queued: it is ${endOf(job)}${runText(facts.run)}.`)
  if (job.pool === null || !facts.poolExists) {
    if (facts.closedPools.length > 0)
      return answer('repository-not-taken', closedText(job, facts.closedPools))
    return answer('label-without-pool', `No pool serves its labels (${job.labels.join(', ')}).`)
  }
  if (reach !== null) return answer('unreachable', reach.sentence)
  if (isAwaitingApproval(job)) return answer('awaiting-approval', awaitsApproval)
  if (job.quarantine !== null)
    return answer(
      'quarantined',
      `It is quarantined: ${job.quarantine} (once that is put right: holdfast release ${job.id})`,
    )
  if (job.notBefore > now) {
    return answer('backing-off', `It backs off for another ${seconds(job.notBefore - now)} after a failure.`)
  }
  if (facts.hold !== null) {
    const { key, reason, until } = facts.hold
    return answer('repository-held', `${key} is held for another ${seconds(until - now)}: ${reason}`)
  }
  if (facts.capPerRepository !== null && facts.runningOfRepository >= facts.capPerRepository) {
    return answer(
      'repository-cap',
      `${job.repository} has ${facts.runningOfRepository} jobs at once, and its cap is ${facts.capPerRepository}.`,
    )
  }
  if (facts.capPerOwner !== null && facts.runningOfOwner >= facts.capPerOwner) {
    return answer(
      'owner-cap',
      `${job.owner} has ${facts.runningOfOwner} jobs at once, and its cap is ${facts.capPerOwner}.`,
    )
  }
  if (forgeLimit !== null && facts.runners.idle > 0) {
    const { perMinute, until } = forgeLimit
    const at = `${new Date(until).toISOString().slice(11, 19)} UTC`
    const after = behind === 0 ? '' : `, after ${behind} others`
    return answer(
      'forge-limit',
      `A runner is ready; it waits for the forge's limit of ${perMinute} points a minute until about ${at}${after}.`,
    )
  }
  if (behind > 0) {
    const whom = facts.ahead
      .slice(0, 3)
      .map((row) => `${row.jobs} of ${row.repository}`)
      .join(', ')
    return answer('behind-others', `${behind} jobs go before it: ${whom}.`)
  }
  if (facts.runners.idle > 0) return answer('next', 'It is next, and a runner is ready.')
  if (facts.runners.live >= facts.runners.max) {
    return answer(
      'no-capacity',
      `It is next, and all ${facts.runners.max} runners of ${job.pool} are in use.`,
    )
  }
  return answer('runner-starting', 'It is next, and waits for a runner to start.')
}

/** What `why` and lists say alike. */
function closedText({ repository, labels }: Job, pools: readonly string[]): string {
  const named = pools.slice(0, POOLS_NAMED_MAX).join(', ')
  const more = pools.length > POOLS_NAMED_MAX ? ` and ${pools.length - POOLS_NAMED_MAX} more` : ''
  return `No pool takes jobs of ${repository}: ${named}${more} would serve its labels (${labels.join(', ')}), and does not name it in its repositories.`
}

/** How long it has run, of how long it may where its pool says so. */
function runText(run: JobRun | null): string {
  if (run === null || run.limitMs === null) return ''
  const past = run.isPastDeadline ? '; it is past the limit of its pool, and is being ended' : ''
  return ` for ${ranOfLimit(run.ranMs, run.limitMs)}${past}`
}

function seconds(durationMs: number): string {
  return `${Math.ceil(durationMs / 1000)} s`
}

/** The forge's word stands beside a loss. */
function endOf({ state, conclusion }: Job): string {
  return state === 'lost' && conclusion !== null ? `lost, and the forge says ${conclusion}` : state
}
