import { attentionRank, endedRank, isSameName, type Job, standingOf } from '../../../src/domain/job/index.ts'
import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type {
  JobConditions,
  JobCursor,
  JobFilter,
  JobReader,
  RunnerFilter,
  RunnerReader,
} from '../../../src/ports/ledger.ts'
import { filter, openAttemptOfRunner, type RowName, type State } from './state.ts'
import { isUnreadable, unreadableError } from './unreadable.ts'

/** Jobs in the order that is asked for. */
export function jobs(
  state: State,
  { order = 'newest', after, limit, ...conditions }: JobFilter,
  now: Instant,
): Awaited<ReturnType<JobReader['jobs']>> {
  const isStrange = ({ id }: Job) => isUnreadable(state, 'job', id)
  const { states, standings, repository } = conditions
  const isAnyState = states === undefined && standings === undefined && order === 'newest'
  const ofRepository = filter(
    state.jobs,
    (job) => repository === undefined || isSameName(job.repository, repository),
  ).reverse()
  const page = filter(state.jobs, (job) => meets(job, conditions, now))
    .reverse()
    .filter((job) => isAnyState || !isStrange(job))
  const before = order === 'newest' ? byNumber : byAttention
  const shown = page
    .sort(before)
    .filter((job) => after === undefined || isBehind(job, after, order))
    .slice(0, limit)
  const strange = (isAnyState ? shown : ofRepository.slice(0, limit)).filter(isStrange)
  return {
    rows: shown.filter((job) => !isStrange(job)),
    unreadable: strange.map(({ id, installation, repository: of, name, endedAt }) => ({
      id,
      installation,
      repository: of,
      name,
      isEnded: endedAt !== null,
      error: unreadableError({ kind: 'job', id }),
    })),
  }
}

export function countJobs(state: State, conditions: JobConditions, max: number, now: Instant): number {
  const isAnyState = conditions.states === undefined && conditions.standings === undefined
  const counted = filter(
    state.jobs,
    (job) => meets(job, conditions, now) && (isAnyState || !isUnreadable(state, 'job', job.id)),
  )
  return Math.min(max, counted.length)
}

function meets(job: Job, wanted: JobConditions, now: Instant): boolean {
  const { states, standings, repository, pool, labels, withinMs, outcomes } = wanted
  const own = new Set(job.labels.map((label) => label.toLowerCase()))
  const outcome = job.state === 'lost' ? 'lost' : (job.conclusion ?? job.state)
  return (
    (states === undefined || states.includes(job.state)) &&
    (standings === undefined || standings.includes(standingOf(job))) &&
    (repository === undefined || isSameName(job.repository, repository)) &&
    (pool === undefined || job.pool === pool) &&
    (labels === undefined || labels.every((label) => own.has(label.toLowerCase()))) &&
    (withinMs === undefined || job.endedAt === null || job.endedAt >= now - withinMs) &&
    (outcomes === undefined || (job.endedAt !== null && outcomes.includes(outcome)))
  )
}

const byNumber = (a: Job, b: Job): number => b.id - a.id

function byAttention(a: Job, b: Job): number {
  const rank = attentionRank(a)
  return rank - attentionRank(b) || (rank === endedRank ? b.id - a.id : a.id - b.id)
}

function isBehind(job: Job, after: JobCursor, order: 'newest' | 'attention'): boolean {
  if (order === 'newest') return job.id < after.id
  const rank = attentionRank(job)
  if (rank !== after.rank) return rank > after.rank
  return rank === endedRank ? job.id < after.id : job.id > after.id
}

/** Live runners in the order in which they came, then those that ended last. */
export function runners(
  state: State,
  endedLimit: number,
  wanted: RunnerFilter = {},
): Awaited<ReturnType<RunnerReader['runners']>> {
  const isStrange = ({ id }: Pick<RowName, 'id'>) => isUnreadable(state, 'runner', id)
  const all = filter(state.runners, (runner) => isWanted(runner, wanted, isStrange(runner)))
  const ended = all.filter((runner) => !isLive(runner))
  ended.sort((a, b) => (b.endedAt as number) - (a.endedAt as number) || b.id - a.id)
  const shown = [...all.filter(isLive), ...ended.slice(0, endedLimit)]
  return {
    rows: shown
      .filter((runner) => !isStrange(runner))
      .map((runner) => ({ ...runner, jobId: openAttemptOfRunner(state, runner.id)?.jobId ?? null })),
    unreadable: shown.filter(isStrange).map(({ id, name, pool, host, endedAt }) => ({
      id,
      name,
      pool,
      host,
      isEnded: endedAt !== null,
      error: unreadableError({ kind: 'runner', id }),
    })),
  }
}

/** In which state one is that cannot be read nobody can say. */
function isWanted(runner: Runner, { pool, states, host, names }: RunnerFilter, isStrange: boolean): boolean {
  return (
    (pool === undefined || runner.pool === pool) &&
    (states === undefined || isStrange || states.includes(runner.state)) &&
    (host === undefined || runner.host === host) &&
    (names === undefined || names.includes(runner.name))
  )
}
