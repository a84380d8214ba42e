import { type Attempt, ranOfLimit, ranSince } from '../attempt/index.ts'
import { type Incident, poolIncidents } from '../incident/index.ts'
import { awaitsApproval, isAwaitingApproval, type Job } from '../job/index.ts'
import type { ClosedPool, Refusal } from '../pool/index.ts'
import type { Instant } from '../time.ts'
import type { ForgeLimit } from './points.ts'
import type { Reach } from './reach.ts'

/** The ledger's facts about a job's place in the queue, read in one snapshot. */
export interface QueueFacts {
  readonly job: Job
  readonly now: Instant
  readonly poolExists: boolean
  /** Where it has no pool: those that have its labels and do not take it, and why. */
  readonly closedPools: readonly ClosedPool[]
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

const poolsNamedMax = 5

export const queueReasons = [
  'not-queued',
  'label-without-pool',
  'repository-not-taken',
  'public-repository-refused',
  'fork-refused',
  'origin-unknown',
  'unreachable',
  'awaiting-approval',
  'quarantined',
  'backing-off',
  'repository-held',
  'repository-cap',
  'owner-cap',
  'pool-problem',
  'forge-limit',
  'behind-others',
  'no-capacity',
  'runner-starting',
  'next',
] as const
type QueueReason = (typeof queueReasons)[number]

/** The problems of pools that concern one job. */
interface PoolProblems {
  /** Why its own pool gets no runners going; null: it does. */
  readonly starting: string | null
  /** Where it has no pool: RunnerPools that are written wrong, and how. */
  readonly invalid: readonly string[]
}

const noProblems: PoolProblems = { starting: null, invalid: [] }

/** The open incidents of the pool that would serve a job. */
export function poolProblemsOf({ pool }: Pick<Job, 'pool'>, incidents: readonly Incident[]): PoolProblems {
  const open = incidents.filter(({ closedAt }) => closedAt === null)
  const ofPool = open.find(({ kind, key }) => kind === poolIncidents.start && key === pool)
  const wrong = pool === null ? open.filter(({ kind }) => kind === poolIncidents.spec) : []
  return {
    starting: ofPool?.reason ?? null,
    invalid: wrong.slice(0, poolsNamedMax).map(({ key, reason }) => `${key} (${reason})`),
  }
}

export interface QueueAnswer {
  readonly reason: QueueReason
  readonly sentence: string
  readonly behind: number
}

/**
 * Why is this job still queued? The first reason that holds, in words. `reach`: what `reachOf` says of it; what only
 * a person can lift comes before what passes by itself. `forgeLimit`: what `forgeLimitOf` says; `poolProblems`: what
 * `poolProblemsOf` says.
 */
export function whyQueued(
  facts: QueueFacts,
  reach: Reach | null = null,
  forgeLimit: ForgeLimit | null = null,
  poolProblems: PoolProblems = noProblems,
): QueueAnswer {
  const { job, now } = facts
  const behind = facts.ahead.reduce((sum, row) => sum + row.jobs, 0)
  const answer = (reason: QueueReason, sentence: string): QueueAnswer => ({ reason, sentence, behind })

  if (reach?.kind === 'installation-not-served') return answer('unreachable', reach.sentence)
  if (job.state !== 'queued')
    return answer('not-queued', `It is not queued: it is ${endOf(job)}${runText(facts.run)}.`)
  if (job.pool === null || !facts.poolExists) {
    if (facts.closedPools.length > 0) return answer(...closedText(job, facts.closedPools))
    const wrong = poolProblems.invalid.map((one) => ` The RunnerPool ${one} is out of use as it is written.`)
    const none = `No pool serves its labels (${job.labels.join(', ')}).`
    return answer('label-without-pool', `${none}${wrong.join('')}`)
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
  if (poolProblems.starting !== null && facts.runners.idle === 0) {
    const after = behind === 0 ? '' : ` ${behind} jobs go before it.`
    return answer(
      'pool-problem',
      `Its pool ${job.pool} gets no runners going: ${poolProblems.starting}${after}`,
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

/** Refusals, the ones that may pass by themselves first: what each is called, the fact, why that matters, what to do. */
const refusals: Readonly<Record<Refusal, readonly [QueueReason, (repository: string) => string, string]>> = {
  'visibility-unknown': [
    'origin-unknown',
    (repository) => `The forge has not said whether ${repository} is public`,
    'refuses public repositories (the forge is asked again; publicRepositories: allow takes it without an answer).',
  ],
  'origin-unknown': [
    'origin-unknown',
    (repository) => `The forge has not said whether its run is of a fork of ${repository}`,
    'refuses forks (the forge is asked again; forks: allow takes it without an answer).',
  ],
  fork: [
    'fork-refused',
    (repository) => `Its run is of a fork of ${repository}`,
    'refuses forks (push the commits to a branch of the repository, or set forks: allow in the pool).',
  ],
  public: [
    'public-repository-refused',
    (repository) => `${repository} is public`,
    'refuses public repositories (publicRepositories: allow in the pool takes them).',
  ],
  repository: [
    'repository-not-taken',
    (repository) => `No pool takes jobs of ${repository}`,
    'does not name it in its repositories.',
  ],
}

/** The refusal that `why` and lists show: of several, one that may pass, or the one nearest to acceptance. */
function closedText({ repository, labels }: Job, pools: readonly ClosedPool[]): [QueueReason, string] {
  const order = Object.keys(refusals) as Refusal[]
  const refusal = order.find((each) => pools.some((pool) => pool.refusal === each)) ?? 'repository'
  const names = pools.filter((pool) => pool.refusal === refusal).map(({ name }) => name)
  const named = names.slice(0, poolsNamedMax).join(', ')
  const more = names.length > poolsNamedMax ? ` and ${names.length - poolsNamedMax} more` : ''
  const [reason, fact, rule] = refusals[refusal]
  return [
    reason,
    `${fact(repository)}: ${named}${more} would serve its labels (${labels.join(', ')}), and ${rule}`,
  ]
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

/** The end of a job; a loss also names the forge's conclusion. */
function endOf({ state, conclusion }: Job): string {
  return state === 'lost' && conclusion !== null ? `lost, and the forge says ${conclusion}` : state
}
